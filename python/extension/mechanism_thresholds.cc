#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "extension/bindings.h"
#include "extension/buffer.h"
#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "extension/without_gil.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"
#include "sotto/mechanisms/thresholds/sparse_vector_query.h"

namespace sotto::python {
namespace {

Error Halted() {
  return {ErrorCode::kFailedPrecondition,
          "all reports have been given: nothing more can be asked"};
}

// Query values of a stated sensitivity as whole numbers of sensitivity 1. Whole
// numbers are exact as doubles up to 2^53 and cut there, so that rounding
// cannot move two of them apart.
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
  std::int64_t Threshold(py::handle threshold) const { return Of(threshold); }

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

// What a sparse vector is made with; kinds of words as the classes have them.
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

class PythonSparseVector {
 public:
  PythonSparseVector(Queries queries, SparseVector test,
                     const FreshNoise& noise)
      : queries_(std::move(queries)),
        test_(std::move(test)),
        drawing_(noise.key, noise.seeded) {}

  bool Test(py::handle value) {
    const std::int64_t query = queries_.Of(value);
    const Gate::Pass pass(drawing_.gate());
    if (test_.halted()) Raise(Halted());
    return Ask(query);
  }
  // Up to the one that uses up the reports.
  py::bytes TestMany(py::handle values) {
    const std::vector<std::int64_t> queries = queries_.Many(values);
    std::vector<char> answers;
    const Gate::Pass pass(drawing_.gate());
    if (test_.halted() && !queries.empty()) Raise(Halted());
    {
      const WithoutGil released;
      for (const std::int64_t query : queries) {
        answers.push_back(Ask(query) ? 1 : 0);
        if (test_.halted()) break;
      }
    }
    return ToBytes(answers);
  }

  bool halted() {
    const Gate::Pass pass(drawing_.gate());
    return test_.halted();
  }
  std::int64_t reports_left() {
    const Gate::Pass pass(drawing_.gate());
    return test_.reports_left();
  }
  std::string form() const { return std::string(ToString(test_.form())); }
  double deviation() const { return test_.NoiseDeviation(); }
  std::int64_t ErrorBound(std::uint64_t tests, double failure) const {
    return test_.ErrorBound(tests, failure);
  }
  std::string guarantee() const {
    return Promise(test_.guarantee(), drawing_.seeded());
  }
  bool is_private() const { return !drawing_.seeded(); }

 private:
  bool Ask(std::int64_t query) {
    drawing_.rng().Absorb(static_cast<std::uint64_t>(query));
    return test_.Test(query, drawing_.rng()) == ThresholdAnswer::kAbove;
  }

  Queries queries_;
  SparseVector test_;
  Drawing drawing_;
};

class PythonBetween {
 public:
  PythonBetween(Queries queries, BetweenThresholds test,
                const FreshNoise& noise)
      : queries_(std::move(queries)),
        test_(std::move(test)),
        drawing_(noise.key, noise.seeded) {}

  // (-1, 0) low, (0, noisy value) in the band, (1, 0) high.
  py::tuple Test(py::handle value) {
    const std::int64_t query = queries_.Of(value);
    const Gate::Pass pass(drawing_.gate());
    if (test_.halted()) Raise(Halted());
    const auto [zone, noisy] = Ask(query);
    return py::make_tuple(zone, noisy);
  }
  py::tuple TestMany(py::handle values) {
    const std::vector<std::int64_t> queries = queries_.Many(values);
    std::vector<std::int8_t> zones;
    std::vector<std::int64_t> noisy;
    const Gate::Pass pass(drawing_.gate());
    if (test_.halted() && !queries.empty()) Raise(Halted());
    {
      const WithoutGil released;
      for (const std::int64_t query : queries) {
        const auto answer = Ask(query);
        zones.push_back(answer.first);
        noisy.push_back(answer.second);
        if (test_.halted()) break;
      }
    }
    return py::make_tuple(ToBytes(zones), ToBytes(noisy));
  }

  bool halted() {
    const Gate::Pass pass(drawing_.gate());
    return test_.halted();
  }
  std::int64_t reports_left() {
    const Gate::Pass pass(drawing_.gate());
    return test_.reports_left();
  }
  double noise_scale() const { return 1 / test_.rate(); }
  std::string guarantee() const {
    return Promise(test_.guarantee(), drawing_.seeded());
  }
  bool is_private() const { return !drawing_.seeded(); }

 private:
  std::pair<std::int8_t, std::int64_t> Ask(std::int64_t query) {
    drawing_.rng().Absorb(static_cast<std::uint64_t>(query));
    const auto answer = test_.Test(query, drawing_.rng());
    using Zone = BetweenThresholds::Zone;
    const auto zone = answer.zone == Zone::kLow    ? std::int8_t{-1}
                      : answer.zone == Zone::kHigh ? std::int8_t{1}
                                                   : std::int8_t{0};
    return {zone, answer.noisy};
  }

  Queries queries_;
  BetweenThresholds test_;
  Drawing drawing_;
};

std::unique_ptr<PythonSparseVector> MakeSparseVector(
    double epsilon, double delta, py::handle threshold, std::int64_t reports,
    bool monotone, const std::string& charge, const std::string& form,
    const std::string& sensitivity, py::handle seed) {
  Queries queries(sensitivity);
  const auto params =
      Checked(SparseParams(epsilon, delta, queries.Threshold(threshold),
                           reports, monotone, charge, form));
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
  auto test =
      Checked(BetweenThresholds::Create({.epsilon = epsilon,
                                         .delta = delta,
                                         .low = queries.Threshold(low),
                                         .high = queries.Threshold(high),
                                         .reports = reports}));
  return std::make_unique<PythonBetween>(
      std::move(queries), std::move(test),
      MakeNoise(seed, "between-thresholds", sensitivity));
}

}  // namespace

void BindThresholds(py::module_& module) {
  py::class_<PythonSparseVector>(module, "SparseVector")
      .def(py::init(&MakeSparseVector))
      .def("test", &PythonSparseVector::Test)
      .def("test_many", &PythonSparseVector::TestMany)
      .def("halted", &PythonSparseVector::halted)
      .def("reports_left", &PythonSparseVector::reports_left)
      .def("form", &PythonSparseVector::form)
      .def("deviation", &PythonSparseVector::deviation)
      .def("error_bound", &PythonSparseVector::ErrorBound)
      .def("guarantee", &PythonSparseVector::guarantee)
      .def("private", &PythonSparseVector::is_private);
  py::class_<PythonBetween>(module, "BetweenThresholds")
      .def(py::init(&MakeBetween))
      .def("test", &PythonBetween::Test)
      .def("test_many", &PythonBetween::TestMany)
      .def("halted", &PythonBetween::halted)
      .def("reports_left", &PythonBetween::reports_left)
      .def("noise_scale", &PythonBetween::noise_scale)
      .def("guarantee", &PythonBetween::guarantee)
      .def("private", &PythonBetween::is_private);
}

}  // namespace sotto::python
