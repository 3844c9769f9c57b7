#include <algorithm>
#include <utility>

#include "extension/bindings.h"
#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "extension/without_gil.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"

namespace sotto::python {
namespace {

// An error would tell of one count that it is large: each is cut to a range
// instead, which no two neighbours leave by more than they differ.
constexpr std::int64_t kMostCount = std::int64_t{1} << 30;

std::uint64_t CountMembers(std::int64_t number) {
  return static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(number, 0, kMostCount));
}

Error AfterTheEnd(std::uint64_t horizon) {
  return {
      ErrorCode::kFailedPrecondition,
      "there are no steps left of the horizon of " + std::to_string(horizon)};
}

// A running count as the command has it, line for line.
class PythonCounter {
 public:
  explicit PythonCounter(const Settings& settings)
      : params_(Checked(CounterParams(settings))),
        counter_(Made(settings, params_)),
        guarantee_(Checked(UserPromise(settings, counter_.guarantee()))),
        drawing_(Checked(LineKey(settings, kCountKind)), settings.Has("seed")) {
  }

  std::int64_t Add(py::handle count) {
    const std::uint64_t value = CountMembers(ToInt64(count, "count"));
    const Gate::Pass pass(drawing_.gate());
    return Checked(Step(value));
  }

  // All of them or, if they would pass the horizon, none.
  py::bytes AddMany(py::handle counts) {
    const std::vector<std::int64_t> values = ToInt64Vector(counts, "counts");
    std::vector<std::int64_t> estimates(values.size());
    const Gate::Pass pass(drawing_.gate());
    if (params_.horizon > 0 &&
        values.size() > params_.horizon - counter_.steps()) {
      Raise(AfterTheEnd(params_.horizon));
    }
    Status done = Ok();
    {
      const WithoutGil released;
      for (std::size_t i = 0; done && i < values.size(); ++i) {
        const auto estimate = Step(CountMembers(values[i]));
        if (!estimate) {
          done = estimate.error();
        } else {
          estimates[i] = *estimate;
        }
      }
    }
    Check(done);
    return ToBytes(estimates);
  }

  std::uint64_t steps() {
    const Gate::Pass pass(drawing_.gate());
    return counter_.steps();
  }
  std::string mechanism() const {
    return std::string(ToString(counter_.mechanism()));
  }
  double error_bound() {
    const Gate::Pass pass(drawing_.gate());
    return counter_.ErrorBound();
  }
  std::string Describe() {
    const Gate::Pass pass(drawing_.gate());
    return counter_.Describe();
  }
  std::string guarantee() const {
    return Promise(guarantee_, drawing_.seeded());
  }
  bool is_private() const { return !drawing_.seeded(); }

 private:
  static Counter Made(const Settings& settings, const Counter::Params& params) {
    auto counter = Counter::Create(params);
    if (!counter) {
      Raise(Explain(settings, {params.epsilon, params.delta}, counter.error()));
    }
    Check(CheckPromise(settings, counter->guarantee()));
    return *std::move(counter);
  }
  Result<std::int64_t> Step(std::uint64_t count) {
    drawing_.rng().Absorb(count);
    return counter_.Add(count, drawing_.rng());
  }

  Counter::Params params_;
  Counter counter_;
  Guarantee guarantee_;
  Drawing drawing_;
};

class PythonMonitor {
 public:
  explicit PythonMonitor(const Settings& settings)
      : params_(Checked(MonitorParams(settings))),
        monitor_(Made(settings, params_)),
        guarantee_(Checked(UserPromise(settings, monitor_.guarantee()))),
        drawing_(Checked(LineKey(settings, kMonitorKind)),
                 settings.Has("seed")) {}

  bool Add(py::handle count) {
    const std::uint64_t value = CountMembers(ToInt64(count, "count"));
    const Gate::Pass pass(drawing_.gate());
    return Checked(Step(value));
  }

  // Up to the one that is answered "above". Which counts are left is public:
  // they were never asked about.
  py::bytes AddMany(py::handle counts) {
    const std::vector<std::int64_t> values = ToInt64Vector(counts, "counts");
    std::vector<char> answers;
    const Gate::Pass pass(drawing_.gate());
    if (!monitor_.halted() &&
        values.size() > params_.horizon - monitor_.steps()) {
      Raise(AfterTheEnd(params_.horizon));
    }
    Status done = Ok();
    {
      const WithoutGil released;
      for (std::size_t i = 0; done && i < values.size(); ++i) {
        const auto above = Step(CountMembers(values[i]));
        if (!above) {
          done = above.error();
          break;
        }
        answers.push_back(*above ? 1 : 0);
        if (*above) break;
      }
    }
    Check(done);
    return ToBytes(answers);
  }

  std::uint64_t steps() {
    const Gate::Pass pass(drawing_.gate());
    return monitor_.steps();
  }
  bool halted() {
    const Gate::Pass pass(drawing_.gate());
    return monitor_.halted();
  }
  std::string Describe() const { return monitor_.Describe(); }
  std::string guarantee() const {
    return Promise(guarantee_, drawing_.seeded());
  }
  bool is_private() const { return !drawing_.seeded(); }

 private:
  static ThresholdMonitor Made(const Settings& settings,
                               const ThresholdMonitor::Params& params) {
    auto monitor = ThresholdMonitor::Create(params);
    if (!monitor) {
      Raise(Explain(settings, {params.epsilon, 0}, monitor.error()));
    }
    Check(CheckPromise(settings, monitor->guarantee()));
    return *std::move(monitor);
  }
  Result<bool> Step(std::uint64_t count) {
    drawing_.rng().Absorb(count);
    SOTTO_TRY_ASSIGN(const auto answer, monitor_.Add(count, drawing_.rng()));
    return answer == ThresholdMonitor::Answer::kAbove;
  }

  ThresholdMonitor::Params params_;
  ThresholdMonitor monitor_;
  Guarantee guarantee_;
  Drawing drawing_;
};

}  // namespace

void BindCounters(py::module_& module) {
  py::class_<PythonCounter>(module, "Counter")
      .def(py::init([](py::handle said) {
        const Settings settings = ParseSettings(CountOptions(), said);
        Check(settings.CheckRequired());
        return std::make_unique<PythonCounter>(settings);
      }))
      .def("add", &PythonCounter::Add)
      .def("add_many", &PythonCounter::AddMany)
      .def("steps", &PythonCounter::steps)
      .def("mechanism", &PythonCounter::mechanism)
      .def("error_bound", &PythonCounter::error_bound)
      .def("describe", &PythonCounter::Describe)
      .def("guarantee", &PythonCounter::guarantee)
      .def("private", &PythonCounter::is_private);
  py::class_<PythonMonitor>(module, "Monitor")
      .def(py::init([](py::handle said) {
        const Settings settings = ParseSettings(MonitorOptions(), said);
        Check(settings.CheckRequired());
        return std::make_unique<PythonMonitor>(settings);
      }))
      .def("add", &PythonMonitor::Add)
      .def("add_many", &PythonMonitor::AddMany)
      .def("steps", &PythonMonitor::steps)
      .def("halted", &PythonMonitor::halted)
      .def("describe", &PythonMonitor::Describe)
      .def("guarantee", &PythonMonitor::guarantee)
      .def("private", &PythonMonitor::is_private);
}

}  // namespace sotto::python
