#include "extension/python_learner.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "extension/bindings.h"
#include "extension/with_gil.h"
#include "sotto/learners/ensembles/shared_ensemble.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto::python {
namespace {

// Beyond these a learner of dicts is given what is not 0, and one of rows is
// refused.
constexpr std::uint32_t kMostListed = 4096;
constexpr std::uint32_t kMostColumns = 65536;

// An interrupt from the keyboard that came while a copy was at work. It is
// raised again where the call is over; until then nothing is left out.
std::atomic<bool> interrupted = false;

void RaiseInterrupt() {
  if (interrupted.exchange(false)) PyErr_SetInterrupt();
}

// Throws what it raises.
py::object Call(const py::object& function, const py::tuple& arguments,
                const py::dict& keywords = {}) {
  PyObject* made = RunToCompletion([&] {
    return PyObject_Call(function.ptr(), arguments.ptr(), keywords.ptr());
  });
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

bool IsText(py::handle answer) {
  return PyUnicode_Check(answer.ptr()) != 0 || PyBytes_Check(answer.ptr()) != 0;
}

// Text is not a number, although one of NumPy's would say so. Throws what the
// answer's methods raise.
bool IsOne(py::handle answer) {
  if (IsText(answer)) return false;
  const double value =
      RunToCompletion([answer] { return PyFloat_AsDouble(answer.ptr()); });
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value == 1;
}

// Returns whether that is the only answer to a table of one row. Throws.
bool IsOnlyOne(const py::object& answers) {
  if (IsText(answers) || py::len(answers) != 1) return false;
  return IsOne(py::object(answers[py::int_(0)]));
}

// Takes the GIL for each call, and for its destruction.
class PythonEnsemble final : public Ensemble {
 public:
  // Requires the GIL.
  PythonEnsemble(const PythonLearner& fresh, std::int64_t copies)
      : copies_(
            std::make_unique<SharedEnsemble<PythonLearner>>(fresh, copies)) {}
  ~PythonEnsemble() override {
    const WithGil gil;
    copies_.reset();
  }
  PythonEnsemble(const PythonEnsemble&) = delete;
  PythonEnsemble& operator=(const PythonEnsemble&) = delete;

  std::int64_t copies() const override { return copies_->copies(); }
  Result<std::int64_t> Votes(FeatureView x) override {
    const WithGil gil;
    auto votes = copies_->Votes(x);
    RaiseInterrupt();
    return votes;
  }
  Status Update(std::int64_t copy, FeatureView x, bool y) override {
    const WithGil gil;
    Status taught = copies_->Update(copy, x, y);
    RaiseInterrupt();
    return taught;
  }
  Status Save(ByteWriter& out) override {
    const WithGil gil;
    return copies_->Save(out);
  }
  Status Load(ByteReader& in) override {
    const WithGil gil;
    return copies_->Load(in);
  }

 private:
  std::unique_ptr<SharedEnsemble<PythonLearner>> copies_;
};

// The names of all features, or none if they are too many to be listed.
py::tuple ListNames(const InputSpec& inputs) {
  if (inputs.features > kMostListed) return py::tuple();
  const bool named = inputs.names.size() == inputs.features;
  py::tuple names(inputs.features);
  for (std::uint32_t i = 0; i < inputs.features; ++i) {
    names[i] =
        named ? py::object(py::str(inputs.names[i])) : py::object(py::int_(i));
  }
  return names;
}

// NumPy's, if there is one: learners of rows expect arrays.
py::object ArrayMaker() {
  try {
    return py::module_::import("numpy").attr("array");
  } catch (py::error_already_set&) {
    return py::none();
  }
}

// Held by factories, which are copied and dropped without the GIL.
using Fresh = std::shared_ptr<const PythonLearner>;

Fresh MakeFresh(const LearnerFound& found, const InputSpec& inputs) {
  auto traits = std::make_shared<LearnerTraits>();
  const py::module_ pickle = py::module_::import("pickle");
  traits->verbs = found.verbs;
  traits->passes_classes = found.passes_classes;
  traits->reuses = found.reuses;
  traits->features = inputs.features;
  traits->names = ListNames(inputs);
  traits->dumps = pickle.attr("dumps");
  traits->loads = pickle.attr("loads");
  traits->array = ArrayMaker();
  traits->faults = found.faults;
  const auto drop = [](const PythonLearner* learner) {
    const WithGil gil;
    delete learner;
  };
  return {new PythonLearner(std::move(traits), found.state), drop};
}

EnsembleFactory MakeFactory(Fresh fresh) {
  return [fresh = std::move(fresh)](
             std::uint64_t,
             std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    const WithGil gil;
    return std::unique_ptr<Ensemble>(
        std::make_unique<PythonEnsemble>(*fresh, copies));
  };
}

Result<EnsembleFactory> MakeCopies(const LearnerFound& found,
                                   const InputSpec& inputs) {
  const bool rows = found.verbs == LearnerTraits::Verbs::kRows;
  if (rows && inputs.features > kMostColumns) {
    return InvalidArgument(
        "a learner of rows has at most " + std::to_string(kMostColumns) +
        " columns, the stream " + std::to_string(inputs.features) +
        " features: a schema, or hash_bits");
  }
  const WithGil gil;
  return MakeFactory(MakeFresh(found, inputs));
}

}  // namespace

void LearnerFaults::Add(const py::error_already_set& raised) {
  constexpr std::size_t kLongest = 200;
  if (count_++ > 0) return;
  first_ = raised.what();  // type, message and, on further lines, the place
  first_ = first_.substr(0, std::min(first_.find('\n'), kLongest));
}

// Returns the result of a call, or nothing if it raised: no user sees an
// exception of a copy. It is counted if it `counts`. An interrupted call is
// repeated, so that no vote depends on when the interrupt came.
template <typename Function>
auto PythonLearner::Quietly(const Function& call, bool counts) const {
  std::optional<decltype(call())> result;
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    try {
      result = call();
      break;
    } catch (py::error_already_set& raised) {
      if (!raised.matches(PyExc_KeyboardInterrupt)) {
        if (counts && traits_->faults) traits_->faults->Add(raised);
        break;
      }
      interrupted = true;
    } catch (const std::exception&) {
      break;  // thrown by pybind11 for a wrong type
    }
  }
  return result;
}

LearnerTraits::~LearnerTraits() {
  const WithGil gil;
  names.release().dec_ref();
  dumps.release().dec_ref();
  loads.release().dec_ref();
  array.release().dec_ref();
}

py::object PythonLearner::Object() const {
  return Call(traits_->loads, py::make_tuple(py::bytes(*state_)));
}

// All that have names, in their order; or what is not 0, by number.
py::object PythonLearner::Named(FeatureView x) const {
  py::dict named;
  const std::size_t listed = traits_->names.size();
  std::size_t next = 0;
  for (const Feature& feature : x) {
    for (; next < listed && next < feature.index; ++next) {
      named[traits_->names[next]] = 0.0;
    }
    if (listed == 0) {
      named[py::int_(feature.index)] = feature.value;
    } else if (next < listed) {
      named[traits_->names[next++]] = feature.value;
    }
  }
  for (; next < listed; ++next) named[traits_->names[next]] = 0.0;
  return named;
}

py::object PythonLearner::Row(FeatureView x) const {
  py::list row(traits_->features);
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < traits_->features; ++i) {
    const bool here = next < x.size() && x[next].index == i;
    row[i] = here ? x[next++].value : 0.0;
  }
  py::list rows;
  rows.append(std::move(row));
  if (traits_->array.is_none()) return rows;
  return Call(traits_->array, py::make_tuple(rows));
}

py::object PythonLearner::Input(FeatureView x) const {
  return traits_->verbs == LearnerTraits::Verbs::kOne ? Named(x) : Row(x);
}

bool PythonLearner::Predict(FeatureView x) const {
  const auto vote = Quietly(
      [&] {
        // Not kept if it raises: its update is half done.
        py::object learner = kept_ ? std::exchange(kept_, {}) : Object();
        const bool by_one = traits_->verbs == LearnerTraits::Verbs::kOne;
        const py::object answer =
            Call(learner.attr(by_one ? "predict_one" : "predict"),
                 py::make_tuple(Input(x)));
        const bool one = by_one ? IsOne(answer) : IsOnlyOne(answer);
        if (traits_->reuses) kept_ = std::move(learner);
        return one;
      },
      taught_);
  return vote.value_or(false);
}

void PythonLearner::Update(FeatureView x, bool y) {
  const auto taught = Quietly(
      [&]() -> py::object {
        // Never the one that predictions use.
        const py::object learner = Object();
        if (traits_->verbs == LearnerTraits::Verbs::kOne) {
          Call(learner.attr("learn_one"),
               py::make_tuple(Input(x), py::bool_(y)));
        } else {
          py::list label;
          label.append(py::int_(y ? 1 : 0));
          py::object labels = std::move(label);
          if (!traits_->array.is_none()) {
            labels = Call(traits_->array, py::make_tuple(labels));
          }
          py::dict classes;
          if (traits_->passes_classes)
            classes["classes"] = py::make_tuple(0, 1);
          Call(learner.attr("partial_fit"), py::make_tuple(Input(x), labels),
               classes);
        }
        return Call(traits_->dumps, py::make_tuple(learner));
      },
      true);
  if (!taught || !py::isinstance<py::bytes>(*taught)) return;
  state_ = std::make_shared<const std::string>(
      py::reinterpret_borrow<py::bytes>(*taught));
  kept_ = py::object();
  taught_ = true;
}

Status PythonLearner::Load(ByteReader& in) {
  const std::string_view bytes = in.Text();
  if (in.failed()) {
    return Error{ErrorCode::kCorruption, "the saved learner ends too soon"};
  }
  state_ = std::make_shared<const std::string>(bytes);
  kept_ = py::object();
  return Ok();
}

HostLearner MakeHostLearner(const LearnerFound& found) {
  return {.text = found.text,
          .assumption = found.assumption,
          .copies = [found](const InputSpec& inputs) {
            return MakeCopies(found, inputs);
          }};
}

}  // namespace sotto::python
