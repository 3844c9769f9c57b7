#include <pybind11/stl.h>

#include "extension/bindings.h"
#include "extension/published.h"
#include "extension/stream_handle.h"

namespace sotto::python {
namespace {

// Scorer of what a running model has published. Throws FailedPrecondition if
// there is nothing.
std::unique_ptr<const Scorer> PublishedScorer(Stream& stream) {
  const auto published = stream.Hypothesis();
  auto scorer = published ? Checked(MakeScorer(*published)) : nullptr;
  if (!scorer || !scorer->has_scores()) {
    Raise({ErrorCode::kFailedPrecondition,
           std::string(stream.entry().name) + " publishes no scores"});
  }
  return scorer;
}

}  // namespace

void BindPublished(py::module_& module) {
  auto stream = py::class_<StreamHandle>(module.attr("Stream"));
  stream.def("_score_table", [](StreamHandle& s, const py::object& x,
                                bool strict, const std::string& output) {
    const auto current = s.Current();
    return ScoreTable(*PublishedScorer(*current), current->reader(),
                      Table(x, py::none(), py::none()), strict,
                      ParseOutput(output));
  });
  stream.def("_score_rows", [](StreamHandle& s, const py::list& rows,
                               bool strict, const std::string& output) {
    const auto current = s.Current();
    return ScoreRows(*PublishedScorer(*current), current->reader(), rows,
                     strict, ParseOutput(output));
  });
  MakeClass<Published>(module, "Published")
      .def(py::init<const std::string&, bool>())
      .def("facts", &Published::Facts)
      .def("score_table",
           [](const Published& p, const py::object& x, bool strict,
              const std::string& output) {
             return ScoreTable(p.scorer(), p.reader(),
                               Table(x, py::none(), py::none()), strict,
                               ParseOutput(output));
           })
      .def("score_rows", [](const Published& p, const py::list& rows,
                            bool strict, const std::string& output) {
        return ScoreRows(p.scorer(), p.reader(), rows, strict,
                         ParseOutput(output));
      });
}

}  // namespace sotto::python
