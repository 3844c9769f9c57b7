#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "extension/buffer.h"
#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"
#include "sotto/mechanisms/thresholds/sparse_vector_query.h"

namespace sotto::python {
namespace {

// Converts query values of a stated sensitivity to integers of sensitivity 1.
// Integers are exact as doubles up to 2^53 and are clipped there, so that
// rounding cannot move two of them apart.
class Queries {
 public:
  explicit Queries(const std::string& sensitivity)
      : unit_(sensitivity == "1"),
        query_(Checked(RealQuery::Create(
            {.sensitivity = Checked(ParseRational(sensitivity))}))) {}

  std::int64_t Of(py::handle value) const {
    if (PyFloat_Check(value.ptr()) != 0) {
      return query_.Floor(PyFloat_AS_DOUBLE(value.ptr()));
    }
    if (PyLong_Check(value.ptr()) != 0 || PyIndex_Check(value.ptr()) != 0) {
      return OfWhole(ToInt64(value, "value"));
    }
    if (value.is_none()) return query_.Floor(std::nan(""));
    return query_.Floor(ToDouble(value, "value"));
  }
  std::vector<std::int64_t> Many(py::handle values) const {
    const NumberBuffer buffer(values.ptr());
    std::vector<std::int64_t> made;
    if (buffer.dimensions() == 0) {
      made = ConvertEach<std::int64_t>(
          values, "values",
          [this](py::handle value, std::string_view) { return Of(value); });
    } else if (buffer.whole()) {
      made = ToInt64Vector(values, "values");
      for (std::int64_t& value : made) value = OfWhole(value);
    } else {
      for (const double value : ToDoubles(values, "values")) {
        made.push_back(query_.Floor(value));
      }
    }
    return made;
  }

 private:
  std::int64_t OfWhole(std::int64_t value) const {
    if (unit_) return value;
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    return query_.Floor(
        static_cast<double>(std::clamp(value, -kExact, kExact)));
  }

  bool unit_;
  RealQuery query_;
};

// Checks the arguments of a sparse vector.
Result<SparseVector::Params> SparseParams(double epsilon, double delta,
                                          std::int64_t threshold,
                                          std::int64_t reports, bool monotone,
                                          const std::string& charge,
                                          const std::string& form) {
  SparseVector::Params params{.epsilon = epsilon,
                              .delta = delta,
                              .threshold = threshold,
                              .reports = reports,
                              .monotone = monotone};
  if (charge != "above" && charge != "below") {
    return InvalidArgument("charge must be 'above' or 'below'");
  }
  params.charge = charge == "above" ? Charge::kAbove : Charge::kBelow;
  if (form == "auto") return params;
  using Form = SparseVector::Form;
  for (const Form known :
       {Form::kNoisyThreshold, Form::kRedrawnThreshold, Form::kFreshNoise}) {
    if (form == ToString(known)) params.form = known;
  }
  if (params.form) return params;
  return InvalidArgument(
      "form must be 'auto', 'noisy threshold', 'redrawn threshold' or 'fresh "
      "noise'");
}

// Base of both tests: queries, and an end once all reports are given.
template <typename Test>
class ThresholdTest : public Mechanism {
 public:
  ThresholdTest(Queries queries, Test test, const FreshNoise& noise)
      : Mechanism(test.guarantee(), noise),
        queries_(std::move(queries)),
        test_(std::move(test)) {}

  bool halted() {
    return Locked([&] { return test_.halted(); });
  }
  std::int64_t reports_left() {
    return Locked([&] { return test_.reports_left(); });
  }

 protected:
  auto Ask(std::int64_t query) {
    return test_.Test(query, RngAfter(static_cast<std::uint64_t>(query)));
  }
  auto AskOne(py::handle value) {
    const std::int64_t query = queries_.Of(value);
    const Gate::Pass pass(gate());
    CheckRunning();
    return Ask(query);
  }
  // Calls `keep` with each answer, up to the one that uses up the reports.
  template <typename Keep>
  void AskMany(py::handle values, const Keep& keep) {
    const std::vector<std::int64_t> queries = queries_.Many(values);
    const Gate::Pass pass(gate());
    if (!queries.empty()) CheckRunning();
    RunSteps(queries.size(), [&](std::size_t i) {
      keep(Ask(queries[i]));
      return Result<bool>(!test_.halted());
    });
  }
  const Test& test() const { return test_; }

 private:
  void CheckRunning() const {
    if (!test_.halted()) return;
    Raise({ErrorCode::kFailedPrecondition,
           "all reports have been given: nothing more can be asked"});
  }

  Queries queries_;
  Test test_;
};

class PythonSparseVector : public ThresholdTest<SparseVector> {
 public:
  using ThresholdTest::ThresholdTest;

  bool TestOne(py::handle value) {
    return AskOne(value) == ThresholdAnswer::kAbove;
  }
  py::bytes TestMany(py::handle values) {
    std::vector<char> answers;
    AskMany(values, [&](ThresholdAnswer answer) {
      answers.push_back(answer == ThresholdAnswer::kAbove ? 1 : 0);
    });
    return ToBytes(answers);
  }

  std::string form() const { return std::string(ToString(test().form())); }
  double deviation() const { return test().NoiseDeviation(); }
  std::int64_t ErrorBound(std::uint64_t tests, double failure) const {
    return test().ErrorBound(tests, failure);
  }
};

class PythonBetween : public ThresholdTest<BetweenThresholds> {
 public:
  using ThresholdTest::ThresholdTest;

  // (-1, 0) low, (0, noisy value) in the band, (1, 0) high.
  py::tuple TestOne(py::handle value) {
    const auto answer = AskOne(value);
    return py::make_tuple(GetZone(answer), answer.noisy);
  }
  py::tuple TestMany(py::handle values) {
    std::vector<std::int8_t> zones;
    std::vector<std::int64_t> noisy;
    AskMany(values, [&](const auto& answer) {
      zones.push_back(GetZone(answer));
      noisy.push_back(answer.noisy);
    });
    return py::make_tuple(ToBytes(zones), ToBytes(noisy));
  }

  double noise_scale() const { return 1 / test().rate(); }

 private:
  static std::int8_t GetZone(const BetweenThresholds::Answer& answer) {
    using Zone = BetweenThresholds::Zone;
    if (answer.zone == Zone::kLow) return -1;
    return answer.zone == Zone::kHigh ? 1 : 0;
  }
};

template <typename T>
py::class_<T> MakeTest(py::module_& module, const char* name) {
  return MakeMechanism<T>(module, name)
      .def("test", &T::TestOne)
      .def("test_many", &T::TestMany)
      .def("halted", &T::halted)
      .def("reports_left", &T::reports_left);
}

std::unique_ptr<PythonSparseVector> MakeSparseVector(
    double epsilon, double delta, py::handle threshold, std::int64_t reports,
    bool monotone, const std::string& charge, const std::string& form,
    const std::string& sensitivity, py::handle seed) {
  Queries queries(sensitivity);
  const auto params = Checked(SparseParams(
      epsilon, delta, queries.Of(threshold), reports, monotone, charge, form));
  auto test = Checked(SparseVector::Create(params));
  return std::make_unique<PythonSparseVector>(
      std::move(queries), std::move(test),
      MakeNoise(seed, "sparse-vector", form));
}

std::unique_ptr<PythonBetween> MakeBetween(double epsilon, double delta,
                                           py::handle low, py::handle high,
                                           std::int64_t reports,
                                           const std::string& sensitivity,
                                           py::handle seed) {
  Queries queries(sensitivity);
  auto test = Checked(BetweenThresholds::Create({.epsilon = epsilon,
                                                 .delta = delta,
                                                 .low = queries.Of(low),
                                                 .high = queries.Of(high),
                                                 .reports = reports}));
  return std::make_unique<PythonBetween>(
      std::move(queries), std::move(test),
      MakeNoise(seed, "between-thresholds", sensitivity));
}

}  // namespace

void BindThresholds(py::module_& module) {
  MakeTest<PythonSparseVector>(module, "SparseVector")
      .def(py::init(&MakeSparseVector))
      .def("form", &PythonSparseVector::form)
      .def("deviation", &PythonSparseVector::deviation)
      .def("error_bound", &PythonSparseVector::ErrorBound);
  MakeTest<PythonBetween>(module, "BetweenThresholds")
      .def(py::init(&MakeBetween))
      .def("noise_scale", &PythonBetween::noise_scale);
}

}  // namespace sotto::python
