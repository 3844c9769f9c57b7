#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "extension/bindings.h"
#include "extension/gate.h"
#include "extension/python_learner.h"
#include "extension/stream_slot.h"
#include "extension/whole_numbers.h"
#include "sotto/models/pop/pop_row.h"

namespace sotto::python {
namespace {

// Where a sotto.Pop keeps its learner, and the row of its next session: set
// whenever one begins. Empty, it is the registry's row, for a learner that
// --learner names.
class LearnerSlot {
 public:
  LearnerSlot() : row_(PopRow()) {}

  void Set(const LearnerFound& found) {
    learner_ = HostOf(found);
    row_ = PopRowOver(*learner_);
  }
  void Clear() {
    learner_.reset();
    row_ = PopRow();
  }
  const OnlineRow& row() const { return row_; }
  const std::optional<HostLearner>& learner() const { return learner_; }

 private:
  std::optional<HostLearner> learner_;
  OnlineRow row_;
};

// (verbs, passes_classes, reuses, state, text, assumption).
LearnerFound FoundOf(const py::tuple& told) {
  LearnerFound found;
  found.verbs = told[0].cast<std::string>() == "rows"
                    ? LearnerTraits::Verbs::kRows
                    : LearnerTraits::Verbs::kOne;
  found.passes_classes = told[1].cast<bool>();
  found.reuses = told[2].cast<bool>();
  found.state = told[3].cast<std::string>();
  found.text = told[4].cast<std::string>();
  found.assumption = told[5].cast<std::string>();
  return found;
}

// The copies of a learner on their own, for checks by replay: no noise, nothing
// private about it.
class LearnerCopies {
 public:
  LearnerCopies(const LearnerSlot& slot, std::vector<std::string> names,
                std::int64_t copies)
      : features_(static_cast<std::uint32_t>(names.size())) {
    if (!slot.learner() || copies < 1 || copies > 1'000'000) {
      Raise(InvalidArgument("1 to 1000000 copies of a learner"));
    }
    const auto factory = Checked(slot.learner()->copies(
        Inputs{.features = features_, .names = std::move(names)}));
    copies_ = Checked(factory(0, copies));
  }

  std::int64_t Votes(py::handle x) {
    const FeatureVector features = FeaturesOf(x);
    const Gate::Pass pass(gate_);
    return Checked(copies_->Votes(features));
  }
  void Teach(std::int64_t copy, py::handle x, bool y) {
    const FeatureVector features = FeaturesOf(x);
    if (copy < 0 || copy >= copies_->copies()) {
      Raise(InvalidArgument("no such copy"));
    }
    const Gate::Pass pass(gate_);
    Check(copies_->Update(copy, features, y));
  }

 private:
  FeatureVector FeaturesOf(py::handle x) const {
    const std::vector<double> values = RealsOf(x, "x");
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
  py::class_<LearnerSlot>(module, "LearnerSlot")
      .def(py::init<>())
      .def("set", [](LearnerSlot& slot,
                     const py::tuple& told) { slot.Set(FoundOf(told)); })
      .def("clear", &LearnerSlot::Clear);
  py::class_<LearnerCopies>(module, "LearnerCopies")
      .def(py::init<const LearnerSlot&, std::vector<std::string>,
                    std::int64_t>())
      .def("votes", &LearnerCopies::Votes)
      .def("teach", &LearnerCopies::Teach);
  // A stream whose row looks into a slot, which lives as long as it does.
  auto stream = py::class_<StreamSlot>(module.attr("Stream"));
  stream.def(py::init([](const LearnerSlot& slot) {
               return std::make_unique<StreamSlot>(slot.row());
             }),
             py::keep_alive<1, 2>());
}

}  // namespace sotto::python
