#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "extension/bindings.h"
#include "extension/gate.h"
#include "extension/python_learner.h"
#include "extension/stream_handle.h"
#include "extension/whole_numbers.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/pop/pop_entry.h"

namespace sotto::python {
namespace {

// Where a sotto.Pop keeps its learner, and the row of its next session: set
// whenever one begins. Empty, it is the registry's row, for a learner that
// --learner names.
class LearnerSlot {
 public:
  using IsPythonClass = void;

  LearnerSlot() : entry_(PopEntry()) {}

  void Set(const LearnerFound& found) {
    faults_ = found.faults;
    learner_ = MakeHostLearner(found);
    entry_ = PopEntryOver(*learner_);
  }
  void Clear() {
    learner_.reset();
    entry_ = PopEntry();
  }
  const OnlineModelEntry& entry() const { return entry_; }
  const std::optional<HostLearner>& learner() const { return learner_; }
  // Number of exceptions of the copies, and the first one.
  py::tuple Faults() const {
    return py::make_tuple(faults_ ? faults_->count() : 0,
                          faults_ ? faults_->first() : "");
  }

 private:
  std::shared_ptr<LearnerFaults> faults_;
  std::optional<HostLearner> learner_;
  OnlineModelEntry entry_;
};

// (verbs, passes_classes, reuses, state, text, assumption).
LearnerFound ParseFound(const py::tuple& fields) {
  LearnerFound found;
  found.verbs = fields[0].cast<std::string>() == "rows"
                    ? LearnerTraits::Verbs::kRows
                    : LearnerTraits::Verbs::kOne;
  found.passes_classes = fields[1].cast<bool>();
  found.reuses = fields[2].cast<bool>();
  found.state = fields[3].cast<std::string>();
  found.text = fields[4].cast<std::string>();
  found.assumption = fields[5].cast<std::string>();
  return found;
}

// The copies of a learner on their own, for checks by replay: no noise, nothing
// private about it.
class LearnerCopies {
 public:
  using IsPythonClass = void;

  LearnerCopies(const LearnerSlot& slot, std::vector<std::string> names,
                std::int64_t copies)
      : features_(static_cast<std::uint32_t>(names.size())) {
    if (!slot.learner() || copies < 1 || copies > 1'000'000) {
      Raise(InvalidArgument("1 to 1000000 copies of a learner"));
    }
    const auto factory = Checked(slot.learner()->copies(
        InputSpec{.features = features_, .names = std::move(names)}));
    copies_ = Checked(factory(0, copies));
  }

  std::int64_t Votes(py::handle x) {
    const FeatureVector features = ReadFeatures(x);
    const Gate::Pass pass(gate_);
    return Checked(copies_->Votes(features));
  }
  void Teach(std::int64_t copy, py::handle x, bool y) {
    const FeatureVector features = ReadFeatures(x);
    if (copy < 0 || copy >= copies_->copies()) {
      Raise(InvalidArgument("no such copy"));
    }
    const Gate::Pass pass(gate_);
    Check(copies_->Update(copy, features, y));
  }

 private:
  FeatureVector ReadFeatures(py::handle x) const {
    const std::vector<double> values = ToDoubles(x, "x");
    if (values.size() != features_) {
      Raise(InvalidArgument("there must be " + std::to_string(features_) +
                            " features"));
    }
    FeatureVector features;
    for (std::uint32_t i = 0; i < features_; ++i) {
      features.push_back({i, values[i]});
    }
    return features;
  }

  Gate gate_;
  std::uint32_t features_;
  std::unique_ptr<Ensemble> copies_;
};

}  // namespace

void BindLearners(py::module_& module) {
  MakeClass<LearnerSlot>(module, "LearnerSlot")
      .def(py::init<>())
      .def("set", [](LearnerSlot& slot,
                     const py::tuple& fields) { slot.Set(ParseFound(fields)); })
      .def("clear", &LearnerSlot::Clear)
      .def("faults", &LearnerSlot::Faults);
  MakeClass<LearnerCopies>(module, "LearnerCopies")
      .def(py::init<const LearnerSlot&, std::vector<std::string>,
                    std::int64_t>())
      .def("votes", &LearnerCopies::Votes)
      .def("teach", &LearnerCopies::Teach);
  // A stream whose row looks into a slot, which lives as long as it does.
  auto stream = py::class_<StreamHandle>(module.attr("Stream"));
  stream.def(py::init([](const LearnerSlot& slot) {
               return std::make_unique<StreamHandle>(slot.entry());
             }),
             py::keep_alive<1, 2>());
}

}  // namespace sotto::python
