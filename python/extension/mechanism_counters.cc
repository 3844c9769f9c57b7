#include <algorithm>
#include <utility>

#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"

namespace sotto::python {
namespace {

// Clips a count to a range: an error would reveal that a count is large.
// Clipping moves no two counts apart.
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

FreshNoise LineNoise(const Settings& settings, std::string_view kind) {
  return {Checked(LineKey(settings, kind)), settings.Has("seed")};
}

// Makes a mechanism of a command. Errors name the options that were given.
template <typename T, typename Params>
T Create(const Settings& settings, const Params& params, double delta) {
  auto made = T::Create(params);
  if (!made) Raise(Explain(settings, {params.epsilon, delta}, made.error()));
  Check(CheckPromise(settings, made->guarantee()));
  return *std::move(made);
}

// A running count, as `sotto count` has it, line for line.
class PythonCounter : public Mechanism {
 public:
  PythonCounter(const Settings& settings, const Counter::Params& params,
                Counter counter)
      : Mechanism(Checked(UserPromise(settings, counter.guarantee())),
                  LineNoise(settings, kCountKind)),
        params_(params),
        counter_(std::move(counter)) {}

  std::int64_t Add(py::handle count) {
    const std::uint64_t value = CountMembers(ToInt64(count, "count"));
    return Locked([&] { return Checked(Step(value)); });
  }

  // Adds all of them or, if they would pass the horizon, none.
  py::bytes AddMany(py::handle counts) {
    const std::vector<std::int64_t> values = ToInt64Vector(counts, "counts");
    std::vector<std::int64_t> estimates(values.size());
    const Gate::Pass pass(gate());
    if (params_.horizon > 0 &&
        values.size() > params_.horizon - counter_.steps()) {
      Raise(AfterTheEnd(params_.horizon));
    }
    RunSteps(values.size(), [&](std::size_t i) -> Result<bool> {
      SOTTO_TRY_ASSIGN(estimates[i], Step(CountMembers(values[i])));
      return true;
    });
    return ToBytes(estimates);
  }

  std::uint64_t steps() {
    return Locked([&] { return counter_.steps(); });
  }
  std::string mechanism() const {
    return std::string(ToString(counter_.mechanism()));
  }
  double error_bound() {
    return Locked([&] { return counter_.ErrorBound(); });
  }
  std::string Describe() {
    return Locked([&] { return counter_.Describe(); });
  }

 private:
  Result<std::int64_t> Step(std::uint64_t count) {
    return counter_.Add(count, RngAfter(count));
  }

  Counter::Params params_;
  Counter counter_;
};

class PythonMonitor : public Mechanism {
 public:
  PythonMonitor(const Settings& settings,
                const ThresholdMonitor::Params& params,
                ThresholdMonitor monitor)
      : Mechanism(Checked(UserPromise(settings, monitor.guarantee())),
                  LineNoise(settings, kMonitorKind)),
        params_(params),
        monitor_(std::move(monitor)) {}

  bool Add(py::handle count) {
    const std::uint64_t value = CountMembers(ToInt64(count, "count"));
    return Locked([&] { return Checked(Step(value)); });
  }

  // Adds up to the one that is answered "above". Which counts are left is
  // public: nothing was asked about them.
  py::bytes AddMany(py::handle counts) {
    const std::vector<std::int64_t> values = ToInt64Vector(counts, "counts");
    std::vector<char> answers;
    const Gate::Pass pass(gate());
    if (!monitor_.halted() &&
        values.size() > params_.horizon - monitor_.steps()) {
      Raise(AfterTheEnd(params_.horizon));
    }
    RunSteps(values.size(), [&](std::size_t i) -> Result<bool> {
      SOTTO_TRY_ASSIGN(const bool above, Step(CountMembers(values[i])));
      answers.push_back(above ? 1 : 0);
      return !above;
    });
    return ToBytes(answers);
  }

  std::uint64_t steps() {
    return Locked([&] { return monitor_.steps(); });
  }
  bool halted() {
    return Locked([&] { return monitor_.halted(); });
  }
  std::string Describe() const { return monitor_.Describe(); }

 private:
  Result<bool> Step(std::uint64_t count) {
    SOTTO_TRY_ASSIGN(const auto answer, monitor_.Add(count, RngAfter(count)));
    return answer == ThresholdMonitor::Answer::kAbove;
  }

  ThresholdMonitor::Params params_;
  ThresholdMonitor monitor_;
};

}  // namespace

void BindCounters(py::module_& module) {
  MakeMechanism<PythonCounter>(module, "Counter")
      .def(py::init([](py::handle options) {
        const Settings settings = ParseRequired(CountOptions(), options);
        const auto params = Checked(CounterParams(settings));
        return std::make_unique<PythonCounter>(
            settings, params, Create<Counter>(settings, params, params.delta));
      }))
      .def("add", &PythonCounter::Add)
      .def("add_many", &PythonCounter::AddMany)
      .def("steps", &PythonCounter::steps)
      .def("mechanism", &PythonCounter::mechanism)
      .def("error_bound", &PythonCounter::error_bound)
      .def("describe", &PythonCounter::Describe);
  MakeMechanism<PythonMonitor>(module, "Monitor")
      .def(py::init([](py::handle options) {
        const Settings settings = ParseRequired(MonitorOptions(), options);
        const auto params = Checked(MonitorParams(settings));
        return std::make_unique<PythonMonitor>(
            settings, params, Create<ThresholdMonitor>(settings, params, 0));
      }))
      .def("add", &PythonMonitor::Add)
      .def("add_many", &PythonMonitor::AddMany)
      .def("steps", &PythonMonitor::steps)
      .def("halted", &PythonMonitor::halted)
      .def("describe", &PythonMonitor::Describe);
}

}  // namespace sotto::python
