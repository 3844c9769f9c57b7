#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "extension/bindings.h"
#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "extension/without_gil.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"

namespace sotto::python {
namespace {

// Private ranks of data that never leave it, as the command has them.
class PythonRanks {
 public:
  PythonRanks(const Settings& settings, std::vector<double> data)
      : params_(Checked(QuantileParams(settings))),
        drawing_(Checked(LineKey(settings, kQuantileKind)),
                 settings.Has("seed")),
        ranks_(Made(settings, std::move(data))),
        guarantee_(Checked(UserPromise(
            settings,
            Checked(QuantilePromise(settings, ranks_.guarantee()))))) {}

  py::tuple Rank(py::handle at) {
    const double x = MakeQuery(ToDouble(at, "x"));
    const Gate::Pass pass(drawing_.gate());
    const auto answer = Checked(Ask(x));
    return py::make_tuple(answer.estimate, answer.error);
  }

  // All of them or, if they would pass the horizon or one is no number, none:
  // queries are public.
  py::tuple Ranks(py::handle at) {
    const std::vector<double> queries = ToDoubles(at, "x");
    for (const double x : queries) static_cast<void>(MakeQuery(x));
    std::vector<std::int64_t> estimates(queries.size());
    std::vector<std::int64_t> errors(queries.size());
    const Gate::Pass pass(drawing_.gate());
    if (queries.size() > params_.horizon - ranks_.queries()) {
      Raise({ErrorCode::kFailedPrecondition,
             "there are no queries left of the horizon of " +
                 std::to_string(params_.horizon)});
    }
    Status done = Ok();
    {
      const WithoutGil released;
      for (std::size_t i = 0; done && i < queries.size(); ++i) {
        const auto answer = Ask(queries[i]);
        if (!answer) {
          done = answer.error();
        } else {
          estimates[i] = answer->estimate;
          errors[i] = answer->error;
        }
      }
    }
    Check(done);
    return py::make_tuple(ToBytes(estimates), ToBytes(errors));
  }

  std::int64_t size() const { return ranks_.size(); }
  std::uint64_t queries() {
    const Gate::Pass pass(drawing_.gate());
    return ranks_.queries();
  }
  std::string guarantee() const {
    return Promise(guarantee_, drawing_.seeded());
  }
  bool is_private() const { return !drawing_.seeded(); }

 private:
  static double MakeQuery(double x) {
    if (std::isnan(x)) Raise(InvalidArgument("x must be a number, not NaN"));
    return x;
  }
  OnlineThresholds Made(const Settings& settings, std::vector<double> data) {
    drawing_.rng().Absorb(0);
    auto ranks =
        OnlineThresholds::Create(params_, std::move(data), drawing_.rng());
    if (!ranks) {
      Raise(Explain(settings, {params_.epsilon, params_.delta}, ranks.error()));
    }
    return *std::move(ranks);
  }
  Result<OnlineThresholds::Answer> Ask(double x) {
    drawing_.rng().Absorb(std::bit_cast<std::uint64_t>(x));
    return ranks_.Query(x, drawing_.rng());
  }

  OnlineThresholds::Params params_;
  Drawing drawing_;
  OnlineThresholds ranks_;
  Guarantee guarantee_;
};

}  // namespace

void BindRanks(py::module_& module) {
  py::class_<PythonRanks>(module, "Quantiles")
      .def(py::init([](py::handle said, py::handle data) {
        const Settings settings = ParseSettings(QuantileOptions(), said);
        Check(settings.CheckRequired());
        return std::make_unique<PythonRanks>(settings, ToDoubles(data, "data"));
      }))
      .def("rank", &PythonRanks::Rank)
      .def("ranks", &PythonRanks::Ranks)
      .def("size", &PythonRanks::size)
      .def("queries", &PythonRanks::queries)
      .def("guarantee", &PythonRanks::guarantee)
      .def("private", &PythonRanks::is_private);
}

}  // namespace sotto::python
