#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "extension/mechanism.h"
#include "extension/whole_numbers.h"
#include "sotto/mechanisms/mirrors/mirror.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"

namespace sotto::python {
namespace {

// Returns the secret bit of a number: anything but 0 is a one.
bool GetBit(std::int64_t number) { return number != 0; }

class PythonMirror : public Mechanism {
 public:
  PythonMirror(Mirror mirror, const FreshNoise& noise)
      : Mechanism(mirror.guarantee(), noise), mirror_(std::move(mirror)) {}

  bool Next(py::handle bit) {
    const bool one = GetBit(ToInt64(bit, "bit"));
    return Locked([&] { return Ask(one); });
  }
  py::bytes NextMany(py::handle bits) {
    const std::vector<std::int64_t> ones = ToInt64Vector(bits, "bits");
    std::vector<char> answers(ones.size());
    const Gate::Pass pass(gate());
    RunSteps(ones.size(), [&](std::size_t i) {
      answers[i] = Ask(GetBit(ones[i])) ? 1 : 0;
      return Result<bool>(true);
    });
    return ToBytes(answers);
  }

  std::string kind() const { return std::string(ToString(mirror_.kind())); }
  double expected_mistakes() const { return mirror_.expected_mistakes(); }
  py::object worst_mistakes() const {
    const auto worst = mirror_.worst_mistakes();
    return worst ? py::object(py::int_(*worst)) : py::object(py::none());
  }

 private:
  bool Ask(bool one) { return mirror_.Next(one, RngAfter(one ? 1 : 0)); }

  Mirror mirror_;
};

class PythonSelection : public Mechanism {
 public:
  PythonSelection(Selection selection, std::size_t candidates,
                  const FreshNoise& noise)
      : Mechanism(selection.guarantee(), noise),
        selection_(std::move(selection)),
        candidates_(candidates) {}

  std::size_t Choose(py::handle scores) {
    const std::vector<std::int64_t> values = ToInt64Vector(scores, "scores");
    // Before anything is drawn; how many there are is public.
    if (values.size() != candidates_) {
      Raise(InvalidArgument("there must be one score for each of the " +
                            std::to_string(candidates_) + " candidates, not " +
                            std::to_string(values.size())));
    }
    const Gate::Pass pass(gate());
    for (const std::int64_t value : values) {
      rng().Absorb(static_cast<std::uint64_t>(value));
    }
    return Checked(selection_.Select(values, rng()));
  }

  std::string reason() const { return std::string(selection_.reason()); }
  std::int64_t LossBound(double failure) const {
    return selection_.LossBound(failure);
  }

 private:
  Selection selection_;
  std::size_t candidates_;
};

// Items are texts here: the package makes them of what there is. Bins come in
// the order of their texts, which does not depend on the order of the records.
class PythonHistogram : public Mechanism {
 public:
  PythonHistogram(SparseHistogram histogram, const FreshNoise& noise)
      : Mechanism(histogram.guarantee(), noise),
        histogram_(std::move(histogram)) {}

  py::list Release(py::handle items) {
    std::map<std::string, std::int64_t> counts;
    for (const py::handle item : MakeIterator(items, "items")) {
      ++counts[ToText(item)];
    }
    return ReleaseCounts(counts);
  }

  std::int64_t threshold() const { return histogram_.threshold(); }
  std::int64_t CountFor(double failure) const {
    return histogram_.CountFor(failure);
  }

 private:
  static std::string ToText(py::handle item) {
    if (PyUnicode_Check(item.ptr()) == 0) {
      throw py::type_error(std::string("items: expected str, not ") +
                           Py_TYPE(item.ptr())->tp_name);
    }
    // Also half of a surrogate pair is a character, if not of UTF-8.
    PyObject* bytes =
        PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogatepass");
    if (bytes == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(bytes);
  }
  static py::object ToItem(const std::string& text) {
    PyObject* item =
        PyUnicode_Decode(text.data(), static_cast<Py_ssize_t>(text.size()),
                         "utf-8", "surrogatepass");
    if (item == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(item);
  }

  py::list ReleaseCounts(const std::map<std::string, std::int64_t>& counts) {
    std::vector<const std::string*> items;
    std::vector<SparseHistogram::Bin> bins;
    const Gate::Pass pass(gate());
    for (const auto& [item, count] : counts) {
      Absorb(item);
      rng().Absorb(static_cast<std::uint64_t>(count));
      bins.push_back({items.size(), count});
      items.push_back(&item);
    }
    py::list released;
    for (const auto& bin : histogram_.ReleaseCounts(std::move(bins), rng())) {
      released.append(py::make_tuple(ToItem(*items[bin.item]), bin.count));
    }
    return released;
  }
  // In pieces of eight bytes, with the length first: no two texts alike.
  void Absorb(const std::string& text) {
    rng().Absorb(text.size());
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at,
                  std::min<std::size_t>(8, text.size() - at));
      rng().Absorb(word);
    }
  }

  SparseHistogram histogram_;
};

std::unique_ptr<PythonMirror> MakeMirror(double epsilon, double delta,
                                         std::uint64_t delay,
                                         const std::string& kind,
                                         py::handle seed) {
  const Mirror::Params params{epsilon, delta, delay};
  const FreshNoise noise = MakeNoise(seed, "mirror", kind);
  if (kind == "auto") {
    return std::make_unique<PythonMirror>(Checked(Mirror::Create(params)),
                                          noise);
  }
  using Kind = Mirror::Kind;
  for (const Kind known : {Kind::kRandomStep, Kind::kStaircaseMirror,
                           Kind::kJdpMirror, Kind::kSoftMirror}) {
    if (kind != ToString(known)) continue;
    return std::make_unique<PythonMirror>(
        Checked(Mirror::Create(params, known)), noise);
  }
  Raise(InvalidArgument(
      "kind must be 'auto', 'random-step', 'staircase', 'jdp' or 'soft'"));
}

std::unique_ptr<PythonSelection> MakeSelection(std::uint64_t candidates,
                                               double epsilon,
                                               std::int64_t sensitivity,
                                               bool monotone, py::handle seed) {
  auto selection = Checked(Selection::Create({.epsilon = epsilon,
                                              .sensitivity = sensitivity,
                                              .candidates = candidates,
                                              .monotone = monotone}));
  return std::make_unique<PythonSelection>(std::move(selection), candidates,
                                           MakeNoise(seed, "selection", ""));
}

std::unique_ptr<PythonHistogram> MakeHistogram(double epsilon, double delta,
                                               const std::string& relation,
                                               py::handle seed) {
  auto histogram = Checked(
      SparseHistogram::Create({.epsilon = epsilon,
                               .delta = delta,
                               .relation = Checked(ParseRelation(relation))}));
  return std::make_unique<PythonHistogram>(std::move(histogram),
                                           MakeNoise(seed, "histogram", ""));
}

}  // namespace

void BindChoices(py::module_& module) {
  MakeMechanism<PythonMirror>(module, "Mirror")
      .def(py::init(&MakeMirror))
      .def("next", &PythonMirror::Next)
      .def("next_many", &PythonMirror::NextMany)
      .def("kind", &PythonMirror::kind)
      .def("expected_mistakes", &PythonMirror::expected_mistakes)
      .def("worst_mistakes", &PythonMirror::worst_mistakes);
  MakeMechanism<PythonSelection>(module, "Selection")
      .def(py::init(&MakeSelection))
      .def("choose", &PythonSelection::Choose)
      .def("reason", &PythonSelection::reason)
      .def("loss_bound", &PythonSelection::LossBound);
  MakeMechanism<PythonHistogram>(module, "Histogram")
      .def(py::init(&MakeHistogram))
      .def("release", &PythonHistogram::Release)
      .def("threshold", &PythonHistogram::threshold)
      .def("count_for", &PythonHistogram::CountFor);
}

}  // namespace sotto::python
