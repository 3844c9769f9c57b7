#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"

namespace sotto::python {
namespace {

// Private ranks of data that never leave it, as `sotto quantile` has them.
class PythonRanks : public Mechanism {
 public:
  PythonRanks(const OnlineThresholds::Params& params, OnlineThresholds ranks,
              const Guarantee& guarantee, const FreshNoise& noise)
      : Mechanism(guarantee, noise),
        params_(params),
        ranks_(std::move(ranks)) {}

  py::tuple Rank(py::handle at) {
    const double x = MakeQuery(ToDouble(at, "x"));
    const auto answer = Locked([&] { return Checked(Ask(x)); });
    return py::make_tuple(answer.estimate, answer.error);
  }

  // Answers all of them or, if they would pass the horizon or one is NaN, none:
  // queries are public.
  py::tuple Ranks(py::handle at) {
    const std::vector<double> queries = ToDoubles(at, "x");
    for (const double x : queries) static_cast<void>(MakeQuery(x));
    std::vector<std::int64_t> estimates(queries.size());
    std::vector<std::int64_t> errors(queries.size());
    const Gate::Pass pass(gate());
    if (queries.size() > params_.horizon - ranks_.queries()) {
      Raise({ErrorCode::kFailedPrecondition,
             "there are no queries left of the horizon of " +
                 std::to_string(params_.horizon)});
    }
    RunSteps(queries.size(), [&](std::size_t i) -> Result<bool> {
      SOTTO_TRY_ASSIGN(const auto answer, Ask(queries[i]));
      estimates[i] = answer.estimate;
      errors[i] = answer.error;
      return true;
    });
    return py::make_tuple(ToBytes(estimates), ToBytes(errors));
  }

  std::int64_t size() const { return ranks_.size(); }
  std::uint64_t queries() {
    return Locked([&] { return ranks_.queries(); });
  }

 private:
  static double MakeQuery(double x) {
    if (std::isnan(x)) Raise(InvalidArgument("x must be a number, not NaN"));
    return x;
  }
  Result<OnlineThresholds::Answer> Ask(double x) {
    return ranks_.Query(x, RngAfter(std::bit_cast<std::uint64_t>(x)));
  }

  OnlineThresholds::Params params_;
  OnlineThresholds ranks_;
};

std::unique_ptr<PythonRanks> MakeRanks(py::handle options, py::handle data) {
  const Settings settings = ParseRequired(QuantileOptions(), options);
  const auto params = Checked(QuantileParams(settings));
  HistoryRng rng(Checked(LineKey(settings, kQuantileKind)));
  rng.Absorb(0);
  auto ranks = OnlineThresholds::Create(params, ToDoubles(data, "data"), rng);
  if (!ranks) {
    Raise(Explain(settings, {params.epsilon, params.delta}, ranks.error()));
  }
  const Guarantee guarantee = Checked(UserPromise(
      settings, Checked(QuantilePromise(settings, ranks->guarantee()))));
  return std::make_unique<PythonRanks>(
      params, *std::move(ranks), guarantee,
      FreshNoise{rng.key(), settings.Has("seed")});
}

}  // namespace

void BindRanks(py::module_& module) {
  MakeMechanism<PythonRanks>(module, "Quantiles")
      .def(py::init(&MakeRanks))
      .def("rank", &PythonRanks::Rank)
      .def("ranks", &PythonRanks::Ranks)
      .def("size", &PythonRanks::size)
      .def("queries", &PythonRanks::queries);
}

}  // namespace sotto::python
