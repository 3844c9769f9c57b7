#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/models/pop/pop_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto::python {

namespace py = pybind11;

// Exceptions of a learner's copies, after a copy's first lesson: each stands
// for a vote for 0 or a lesson that was not given. Operator only.
//
// Threads: all calls need the GIL.
class LearnerFaults {
 public:
  void Add(const py::error_already_set& raised);
  std::uint64_t count() const { return count_; }
  const std::string& first() const { return first_; }

 private:
  std::uint64_t count_ = 0;
  std::string first_;  // "ValueError: ..."
};

// Properties that all copies of one Python learner share. All of it is public
// and never changes: how the learner is spoken to, what features are called,
// and its state before it was taught anything.
struct LearnerTraits {
  enum class Verbs : std::uint8_t {
    kOne,   // predict_one(x), learn_one(x, y): x is a dict
    kRows,  // predict(X), partial_fit(X, y): X has one row
  };
  Verbs verbs = Verbs::kOne;
  bool passes_classes = false;  // partial_fit(..., classes=[0, 1])
  bool reuses = false;          // predicts on objects that it keeps
  std::uint32_t features = 0;
  py::tuple names;  // of the features, if they are few enough to be listed
  py::object dumps;
  py::object loads;
  py::object array;  // numpy.array, or None
  std::shared_ptr<LearnerFaults> faults = {};

  LearnerTraits() = default;
  LearnerTraits(const LearnerTraits&) = default;
  LearnerTraits& operator=(const LearnerTraits&) = delete;
  ~LearnerTraits();  // takes the GIL
};

// One copy of a Python learner: the bytes it is pickled to. Every prediction
// and every lesson is given to an object made of them for that call alone, and
// every call has its own x, so whatever the learner does to itself or to x in a
// prediction is gone afterwards.
//
// An answer of 1 (1, True, 1.0) is a vote for 1. Everything else is one for 0:
// another value, none, an exception. A lesson that raises, or leaves something
// that cannot be pickled, was not given. So no call fails, and nothing of what
// happens inside one copy is seen but its vote.
//
// Guarantee: the state of a copy is a function of what it was taught, and its
//            vote one of its state and of x, as far as the learner has no
//            memory outside of what is pickled (python_learner.md).
// Threads:   all calls need the GIL.
class PythonLearner {
 public:
  PythonLearner(std::shared_ptr<const LearnerTraits> traits, std::string state)
      : traits_(std::move(traits)),
        state_(std::make_shared<const std::string>(std::move(state))) {}

  bool Predict(FeatureView x) const;
  void Update(FeatureView x, bool y);
  void Save(ByteWriter& out) const { out.Text(*state_); }
  Status Load(ByteReader& in);

 private:
  py::object Object() const;
  py::object Input(FeatureView x) const;
  py::object Row(FeatureView x) const;
  py::object Named(FeatureView x) const;
  template <typename Function>
  auto Quietly(const Function& call, bool counts) const;

  std::shared_ptr<const LearnerTraits> traits_;
  std::shared_ptr<const std::string> state_;
  // Object made from the state, if predictions may reuse one.
  mutable py::object kept_;
  bool taught_ = false;  // before that many learners cannot predict
};

// Facts about a learner that the package finds before any data.
struct LearnerFound {
  LearnerTraits::Verbs verbs = LearnerTraits::Verbs::kOne;
  bool passes_classes = false;
  bool reuses = false;
  std::string state;       // pickled, untaught
  std::string text;        // as --learner has it
  std::string assumption;  // for the guarantee
  std::shared_ptr<LearnerFaults> faults = std::make_shared<LearnerFaults>();
};

// For pop. Requires the GIL, now and when copies are made.
HostLearner MakeHostLearner(const LearnerFound& found);

}  // namespace sotto::python
