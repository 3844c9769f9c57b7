#include <pybind11/stl.h>

#include "extension/bindings.h"
#include "extension/stream_handle.h"
#include "extension/whole_numbers.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/files/state_file.h"
#include "sotto/frontend/run_table.h"
#include "sotto/frontend/session_state.h"
#include "sotto/models/registry/registry.h"
#include "sotto/report/html_report.h"

namespace sotto::python {
namespace {

const OnlineModelEntry& FindEntry(const std::string& name) {
  const OnlineModelEntry* entry = FindOnlineModel(name);
  if (entry == nullptr) Raise(InvalidArgument("no model is called " + name));
  return *entry;
}

// Reads what the Python object is made with: (settings, schema, columns, state,
// classes).
ModelConfig ReadModelConfig(const StreamHandle& stream,
                            const py::object& self) {
  const py::tuple config = self.attr("_making")();
  ModelConfig making{ParseSettings(RunTable(stream.entry()), config[0])};
  making.classes = config[4];
  making.schema = MakeSchema(config[1]);
  if (py::isinstance<py::int_>(config[2])) {
    making.places = config[2].cast<std::uint32_t>();
  } else if (py::isinstance<py::str>(config[2])) {
    making.any_names = true;
  } else if (!config[2].is_none()) {
    making.columns = ToStrings(config[2], "columns");
  }
  if (!config[3].is_none()) {
    making.state = config[3].cast<std::string>();
    const auto head = Checked(Session::ReadHead(making.state));
    if (head.model != stream.entry().name) {
      Raise(InvalidArgument("a state of " + head.model + ", not of " +
                            std::string(stream.entry().name)));
    }
    Check(making.settings.Adopt(head.settings));
  }
  Check(making.settings.CheckRequired());
  return making;
}

std::vector<std::string> ListNames(const ModelConfig& making, py::handle x) {
  if (making.schema) {
    std::vector<std::string> names;
    for (const SchemaColumn& column : making.schema->columns) {
      if (column.missing_of.empty()) names.push_back(column.name);
    }
    return names;
  }
  if (!making.columns.empty() || making.any_names || making.places) {
    return making.columns;
  }
  if (!x) {
    Raise({ErrorCode::kFailedPrecondition,
           "the columns are not known before the first row: say schema= or "
           "columns="});
  }
  return Checked(RowReader::MakeColumns(x));
}

// Returns the stream. Begins it, if it has not begun, with what the Python
// object says now; tries again if another thread has reset it meanwhile.
template <typename Names>
std::shared_ptr<Stream> Begin(StreamHandle& slot, const Names& names) {
  const py::object self = py::cast(&slot);
  while (true) {
    if (auto stream = slot.stream()) return stream;
    const std::uint64_t beginnings = slot.beginnings();
    const ModelConfig making = ReadModelConfig(slot, self);
    if (!slot.Begin(beginnings, making, names(making))) continue;
    // A state is continued once, and not kept.
    self.attr("_loaded") = py::none();
  }
}

// The same with the names of the first row, which may be null if the columns
// are known.
std::shared_ptr<Stream> Ensure(StreamHandle& slot, py::handle x) {
  return Begin(slot,
               [&](const ModelConfig& making) { return ListNames(making, x); });
}

py::object Prediction(const Stream& stream, const OpenResult& opened) {
  if (!opened.prediction) return py::none();
  return stream.reader().ToPython(*opened.prediction);
}

// Decides by public facts, and before the round: whether there is a round must
// not depend on what was predicted.
void CheckHasProbabilities(const Stream& stream) {
  const bool number =
      stream.reader().label_type().kind == LabelType::Kind::kNumber;
  if (stream.entry().probabilities && !number) return;
  Raise({ErrorCode::kFailedPrecondition,
         std::string(stream.entry().name) + " has no probabilities" +
             (number ? " of numbers" : "") + ": ask it for predictions"});
}

// Returns the probabilities of all labels; of the predicted class alone where
// others are not known.
py::dict Probabilities(const Stream& stream, const OpenResult& opened) {
  py::dict made;
  if (!opened.prediction || !opened.probability) return made;
  const RowReader& reader = stream.reader();
  if (reader.label_type().kind == LabelType::Kind::kTwo) {
    made[reader.ToPython(Label(false))] = 1 - *opened.probability;
    made[reader.ToPython(Label(true))] = *opened.probability;
  } else if (opened.probabilities.empty()) {
    made[reader.ToPython(*opened.prediction)] = *opened.probability;
  }
  for (std::size_t c = 0; c < opened.probabilities.size(); ++c) {
    const Label label = Label::OfClass(static_cast<std::uint32_t>(c));
    made[reader.ToPython(label)] = opened.probabilities[c];
  }
  return made;
}

// A round, for its own user.
struct OpenedRound {
  using IsPythonClass = void;
  std::shared_ptr<Stream> stream;
  OpenResult opened;
  bool closed = false;
};

std::string Describe(const OpenedRound& round) {
  if (!round.opened.prediction) return "<sotto round, nobody was answered>";
  const std::string seeded =
      round.stream->seeded() ? ", NOT PRIVATE: seeded>" : ">";
  if (!round.opened.ticket) {
    return "<sotto round, answered from what is published" + seeded;
  }
  return (round.closed ? "<sotto round, answered, labelled"
                       : "<sotto round, answered, its label may come") +
         seeded;
}

void CloseRound(OpenedRound& round, py::handle y) {
  if (!round.opened.ticket) return;  // an empty round takes no label
  if (round.stream->Close(*round.opened.ticket, y)) round.closed = true;
}

void BindRound(py::module_& module) {
  auto made = MakeClass<OpenedRound>(
      module, "Round", "A round that was opened: for its own user's eyes.");
  made.def_static("__new__", [](const py::args&, const py::kwargs&) {
    throw py::type_error("a Round is what open returns");
  });
  made.def_property_readonly(
          "prediction",
          [](const OpenedRound& r) { return Prediction(*r.stream, r.opened); },
          "The prediction for its user; None for an empty or bad row, and over "
          "the "
          "limit unless the model publishes.")
      .def_property_readonly(
          "probability",
          [](const OpenedRound& r) { return r.opened.probability; },
          "Probability of the positive label of two, or of the predicted "
          "class; "
          "None if there is none.")
      .def_property_readonly(
          "answered",
          [](const OpenedRound& r) { return r.opened.prediction.has_value(); },
          "False if there is no prediction.")
      .def_property_readonly(
          "ticket", [](const OpenedRound& r) { return r.opened.ticket; },
          "A text for close(ticket, y) of the model, also after a save and a "
          "load. For its user only. None for an empty or bad row and for a "
          "user over the limit.")
      .def_property_readonly(
          "closed", [](const OpenedRound& r) { return r.closed; },
          "True once its label has arrived.")
      .def("close", CloseRound, py::arg("y"),
           "close(y)\n\nSends the label, at any time. The same label again "
           "changes nothing; another one is\nrefused. None is a missing "
           "label.")
      .def("__repr__", Describe);
}

RunReport ReportFor(Stream& stream, bool public_only, bool interrupted) {
  RunReport report = stream.Report();
  report.public_only = report.public_only || public_only;
  report.interrupted = interrupted;
  return report;
}

std::string ReportJson(Stream& stream, bool public_only, bool interrupted) {
  return RunJson(ReportFor(stream, public_only, interrupted)).Dump();
}

py::list GetLabels(const Answers& answers) {
  py::list labels;
  for (const double prediction : answers.prediction) {
    if (std::isnan(prediction)) {
      labels.append(py::none());
    } else {
      const RowReader& reader = answers.stream->reader();
      labels.append(
          reader.ToPython(reader.label_type().FromNumber(prediction)));
    }
  }
  return labels;
}

Stream& MakeStream(const Answers& answers) {
  if (answers.stream) return *answers.stream;
  Raise({ErrorCode::kFailedPrecondition,
         "nothing was played: there is nothing to report"});
}

void BindAnswers(py::module_& module) {
  MakeClass<Answers>(module, "Answers")
      .def(py::init<>())
      .def("__len__", [](const Answers& a) { return a.prediction.size(); })
      .def("predictions",
           [](const Answers& a) { return ToBytes(a.prediction); })
      .def("probabilities",
           [](const Answers& a) { return ToBytes(a.probabilities); })
      .def("labels", GetLabels)
      // None: nothing has begun.
      .def("seeded",
           [](const Answers& a) -> std::optional<bool> {
             if (!a.stream) return std::nullopt;
             return a.stream->seeded();
           })
      .def("report_json",
           [](const Answers& a, bool open, bool interrupted) {
             return ReportJson(MakeStream(a), open, interrupted);
           })
      .def("report_text",
           [](const Answers& a, bool open, bool interrupted) {
             return RunText(ReportFor(MakeStream(a), open, interrupted));
           })
      .def("report_html", [](const Answers& a, bool open, bool interrupted) {
        return HtmlReport(ReportFor(MakeStream(a), open, interrupted));
      });
}

using Class = py::class_<StreamHandle>;

// The package has them under these names without the first letter.
void BindVerbs(Class& made) {
  made.def("_open",
           [](StreamHandle& slot, const py::object& x, py::handle user) {
             const auto stream = Ensure(slot, x);
             return OpenedRound{stream, stream->Open(x, UserName(user))};
           });
  made.def("_close",
           [](StreamHandle& slot, const std::string& ticket,
              const py::object& y) { Ensure(slot, {})->Close(ticket, y); });
  made.def("_empty_round", [](StreamHandle& slot, py::handle user) {
    Ensure(slot, {})->PlayEmptyRound(UserName(user));
  });
  made.def("_predict_one",
           [](StreamHandle& slot, const py::object& x, py::handle user) {
             const auto stream = Ensure(slot, x);
             return Prediction(*stream, stream->Predict(x, UserName(user)));
           });
  made.def("_predict_proba_one", [](StreamHandle& slot, const py::object& x,
                                    py::handle user) {
    const auto stream = Ensure(slot, x);
    CheckHasProbabilities(*stream);
    const bool all =
        stream->reader().label_type().kind == LabelType::Kind::kClasses;
    return Probabilities(*stream, stream->Predict(x, UserName(user), all));
  });
  made.def("_learn_one", [](StreamHandle& slot, const py::object& x,
                            const py::object& y, py::handle user) {
    Ensure(slot, x)->Learn(x, y, UserName(user));
  });
}

void BindBulk(Class& made) {
  // None: the columns are known.
  made.def("_begin", [](StreamHandle& slot, const py::object& x) {
    Ensure(slot, x.is_none() ? py::handle() : py::handle(x));
  });
  made.def("_reset", &StreamHandle::Reset);
  made.def("_begin_named", [](StreamHandle& slot, const py::object& names) {
    Begin(slot, [&](const ModelConfig& making) {
      const bool given = making.schema || !making.columns.empty() ||
                         making.any_names || making.places;
      return given ? ListNames(making, {})
                   : ToStrings(names, "the name of a column");
    });
  });
  made.def("_train", [](StreamHandle& slot, const py::object& x,
                        const py::object& y, const py::object& users) {
    const auto stream = slot.Current();
    stream->Train(Table(x, y, users));
  });
  made.def("_play_table", [](StreamHandle& slot, const py::object& x,
                             const py::object& y, const py::object& users,
                             Answers& answers, const py::object& between) {
    answers.stream = slot.Current();
    const auto stream = answers.stream;
    stream->PlayTable(Table(x, y, users), answers, between);
  });
  made.def("_play_rows", [](StreamHandle& slot, const py::iterator& rows,
                            Answers& answers, const py::object& between) {
    answers.stream = slot.Current();
    const auto stream = answers.stream;
    stream->PlayRows(rows, answers, between);
  });
}

py::dict ExtractFacts(Stream& stream) {
  const Gate::Pass pass(stream.gate());
  const Session& session = stream.session();
  py::dict facts;
  facts["rounds"] = session.rounds();
  facts["phase"] = session.phase();
  facts["halted"] = session.halted();
  facts["words"] = session.model().Summary();
  facts["guarantee"] = ToJson(session.guarantee()).Dump();
  return facts;
}

// Returns the names of labels in their order: nothing for numbers.
py::list GetLabels(const RowReader& reader) {
  py::list names;
  for (std::uint32_t i = 0; i < reader.label_type().classes(); ++i) {
    names.append(reader.ToPython(reader.label_type().FromNumber(i)));
  }
  return names;
}

void BindViews(Class& made) {
  made.def_property_readonly("_begun",
                             [](const StreamHandle& s) { return s.begun(); });
  made.def("_facts",
           [](StreamHandle& s) { return ExtractFacts(*s.Current()); });
  // Facts that never change need no gate, and are known in a forked process
  // too.
  made.def("_is_seeded", [](StreamHandle& s) { return s.Current()->seeded(); });
  made.def("_columns_begun",
           [](StreamHandle& s) { return s.Current()->reader().columns(); });
  // Names of columns, the number of columns of sparse rows, or "words".
  made.def("_shape_begun", [](StreamHandle& s) -> py::object {
    const auto stream = s.Current();
    const RowReader& reader = stream->reader();
    if (reader.any_names()) return py::str("words");
    if (reader.sparse()) return py::int_(reader.width());
    return py::cast(reader.columns());
  });
  made.def("_label",
           [](StreamHandle& s) { return GetLabels(s.Current()->reader()); });
  made.def("_hypothesis", [](StreamHandle& s) -> std::optional<std::string> {
    const auto learned = s.Current()->Hypothesis();
    if (!learned) return std::nullopt;
    return learned->Dump();
  });
  made.def("_report_json", [](StreamHandle& s, bool open, bool interrupted) {
    return ReportJson(*s.Current(), open, interrupted);
  });
  made.def("_state",
           [](StreamHandle& s) { return py::bytes(s.Current()->Save()); });
  made.def("_has_questions",
           [](StreamHandle& s) { return s.Current()->HasQuestions(); });
  made.def("_snapshot", [](StreamHandle& s) {
    const Stream::Snapshot taken = s.Current()->Snap();
    return py::make_tuple(py::bytes(taken.state), taken.questions,
                          taken.rounds);
  });
  made.def("_ask", [](StreamHandle& s, const py::list& questions) {
    s.Current()->Ask(questions);
  });
}

void BindFiles(py::module_& module) {
  module.def("write_state", [](py::handle path, const py::bytes& payload) {
    Check(WriteStateFile(
        ToText(path, "path"),
        {std::string(kSessionState), kSessionStateVersion, payload}));
  });
  module.def("read_state", [](const std::string& path) {
    SavedState state =
        Checked(ReadStateFile(path, kSessionState, kSessionStateVersion));
    const auto head = Session::ReadHead(state.payload);
    if (!head) {
      Raise({head.error().code, path + ": " + head.error().message});
    }
    return py::make_tuple(head->model, head->settings.Dump(),
                          py::bytes(state.payload), head->seeded, head->rounds);
  });
}

}  // namespace

void BindStream(py::module_& module) {
  // The docstrings say it in Python's words.
  py::options options;
  options.disable_function_signatures();
  BindRound(module);
  Class made = MakeClass<StreamHandle>(module, "Stream", "An online model.");
  made.def(py::init([](const std::string& name) {
    return std::make_unique<StreamHandle>(FindEntry(name));
  }));
  BindVerbs(made);
  BindBulk(made);
  BindViews(made);
  BindAnswers(module);
  BindFiles(module);
}

}  // namespace sotto::python
