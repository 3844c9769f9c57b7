#include <pybind11/stl.h>

#include "extension/bindings.h"
#include "extension/stream.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/files/state_file.h"
#include "sotto/registry/registry.h"
#include "sotto/report/html_report.h"
#include "sotto/run/run_table.h"
#include "sotto/run/session_state.h"

namespace sotto::python {
namespace {

const OnlineRow& RowOf(const std::string& name) {
  const OnlineRow* row = FindOnlineModel(name);
  if (row == nullptr) Raise(InvalidArgument("no model is called " + name));
  return *row;
}

// What the Python object says it is made with: (settings, schema, columns,
// state).
Making MakingOf(const Stream& stream, const py::object& self) {
  const py::tuple said = self.attr("_making")();
  Making making{SettingsOf(RunTable(stream.row()), said[0])};
  making.schema = SchemaOf(said[1]);
  if (!said[2].is_none()) {
    making.columns = said[2].cast<std::vector<std::string>>();
  }
  if (!said[3].is_none()) {
    making.state = said[3].cast<std::string>();
    const auto head = Checked(Session::ReadHead(making.state));
    if (head.model != stream.row().name) {
      Raise(InvalidArgument("a state of " + head.model + ", not of " +
                            std::string(stream.row().name)));
    }
    Check(making.settings.Adopt(head.settings));
  }
  Check(making.settings.CheckRequired());
  return making;
}

std::vector<std::string> NamesOf(const Making& making, py::handle x) {
  if (making.schema) {
    std::vector<std::string> names;
    for (const SchemaColumn& column : making.schema->columns) {
      names.push_back(column.name);
    }
    return names;
  }
  if (!making.columns.empty()) return making.columns;
  if (!x) {
    Raise({ErrorCode::kFailedPrecondition,
           "the columns are not known before the first row: say schema= or "
           "columns="});
  }
  return Checked(RowReader::ColumnsOf(x));
}

// Begins the session with the first row, or without one if the columns are
// known. `x` may be null.
void Ensure(Stream& stream, py::handle x) {
  if (stream.begun()) return;
  const py::object self = py::cast(&stream);
  Making making = MakingOf(stream, self);
  std::vector<std::string> names = NamesOf(making, x);
  stream.Begin(std::move(making), std::move(names));
}

py::object Told(const Stream& stream, const Opened& opened) {
  if (!opened.told) return py::none();
  return stream.reader().ToPython(*opened.told);
}

// Of every label that is known: of two both, of k the one that was told.
py::object Probabilities(const Stream& stream, const Opened& opened) {
  py::dict made;
  if (!opened.told) return made;
  if (!opened.probability) {
    Raise({ErrorCode::kFailedPrecondition,
           std::string(stream.row().name) +
               " has no probabilities, and the round is spent: ask it for "
               "predictions"});
  }
  const RowReader& reader = stream.reader();
  if (reader.label_type().kind == LabelType::Kind::kTwo) {
    made[reader.ToPython(Label(false))] = 1 - *opened.probability;
    made[reader.ToPython(Label(true))] = *opened.probability;
  } else {
    made[reader.ToPython(*opened.told)] = *opened.probability;
  }
  return made;
}

// A round as its own user has it.
struct OpenedRound {
  py::object model;
  Opened opened;
  bool closed = false;

  Stream& stream() const { return model.cast<Stream&>(); }
};

std::string Describe(const OpenedRound& round) {
  if (!round.opened.ticket) return "<sotto round, nobody was answered>";
  const std::string seeded =
      round.stream().session().seeded() ? ", NOT PRIVATE: seeded>" : ">";
  return (round.closed ? "<sotto round, answered, labelled"
                       : "<sotto round, answered, its label may come") +
         seeded;
}

void CloseRound(OpenedRound& round, py::handle y) {
  if (!round.opened.ticket) return;  // a label for nobody is nobody's
  if (!round.stream().Close(*round.opened.ticket, y)) {
    Raise(InvalidArgument("this ticket takes no such label"));
  }
  round.closed = round.closed || !y.is_none();
}

void BindRound(py::module_& module) {
  py::class_<OpenedRound>(module, "Round",
                          "A round that was opened: for its own user's eyes.")
      .def_property_readonly(
          "prediction",
          [](const OpenedRound& r) { return Told(r.stream(), r.opened); },
          "What its user is told; None if nobody was answered.")
      .def_property_readonly(
          "probability",
          [](const OpenedRound& r) { return r.opened.probability; },
          "Of the positive label of two, of the class told of k; None where "
          "there is none.")
      .def_property_readonly(
          "answered",
          [](const OpenedRound& r) { return r.opened.told.has_value(); },
          "Whether somebody was: not for an empty row, or a user who has had "
          "all rounds.")
      .def_property_readonly(
          "ticket", [](const OpenedRound& r) { return r.opened.ticket; },
          "A text for close(ticket, y) of the model, also after a save and a "
          "load. Its user's alone.")
      .def_property_readonly(
          "closed", [](const OpenedRound& r) { return r.closed; },
          "Whether its label has come.")
      .def("close", CloseRound, py::arg("y"),
           "close(y)\n\nThe label, whenever it comes. The same one again "
           "changes nothing; another one is\nrefused. None: it never came.")
      .def("__repr__", Describe);
}

void BindAnswers(py::module_& module) {
  py::class_<Answers>(module, "Answers")
      .def(py::init<>())
      .def("__len__", [](const Answers& a) { return a.told.size(); })
      .def("told",
           [](const Answers& a) {
             return py::bytes(reinterpret_cast<const char*>(a.told.data()),
                              a.told.size() * sizeof(double));
           })
      .def("probabilities",
           [](const Answers& a) {
             return py::bytes(
                 reinterpret_cast<const char*>(a.probabilities.data()),
                 a.probabilities.size() * sizeof(double));
           })
      .def("labels", [](const Answers& a, const Stream& stream) {
        py::list labels;
        for (const double told : a.told) {
          if (std::isnan(told)) {
            labels.append(py::none());
          } else {
            labels.append(stream.reader().ToPython(Label::OfNumber(told)));
          }
        }
        return labels;
      });
}

RunReport ReportFor(Stream& stream, bool public_only, bool interrupted) {
  RunReport report = stream.Report();
  report.public_only = report.public_only || public_only;
  report.interrupted = interrupted;
  return report;
}

using Class = py::class_<Stream>;

void BindVerbs(Class& made) {
  made.def(
      "open",
      [](Stream& stream, py::object x, py::handle user) {
        Ensure(stream, x);
        Opened opened = stream.Open(x, NameOf(user));
        return OpenedRound{py::cast(&stream), std::move(opened)};
      },
      py::arg("x"), py::arg("user") = py::none(),
      "open(x, user=None)\n\nOne round for one user: a Round with its "
      "prediction, which takes its label later\n(round.close(y)), in any "
      "order, or never. A tick of the clock, whatever x is: a row that\n"
      "cannot be used is an empty round, and then an InvalidArgument.");
  made.def(
      "close",
      [](Stream& stream, const std::string& ticket, py::object y) {
        Ensure(stream, {});
        if (!stream.Close(ticket, y)) {
          Raise(InvalidArgument("this ticket takes no such label"));
        }
      },
      py::arg("ticket"), py::arg("y"),
      "close(ticket, y)\n\nThe label of a round that was opened, by its "
      "ticket: as Round.close.");
  made.def(
      "tick",
      [](Stream& stream, py::handle user) {
        Ensure(stream, {});
        stream.Tick(NameOf(user));
      },
      py::arg("user") = py::none(),
      "tick(user=None)\n\nAn empty round: somebody was expected and did not "
      "come. To everybody else it looks\nlike any other round.");
  made.def(
      "predict_one",
      [](Stream& stream, py::object x, py::handle user) {
        Ensure(stream, x);
        return Told(stream, stream.Predict(x, NameOf(user)));
      },
      py::arg("x"), py::arg("user") = py::none(),
      "predict_one(x, user=None)\n\nOne round: what the user who brings x "
      "(a dict, a list, an array, a row of pandas) is told,\nfor that user "
      "alone; None for a user who has had all rounds. There is no prediction "
      "without\na round: asking twice is two rounds of the clock, and of "
      "the user if there is a name.\nThe label comes by learn_one(x, y), "
      "before the next question without a name.");
  made.def(
      "predict_proba_one",
      [](Stream& stream, py::object x, py::handle user) {
        Ensure(stream, x);
        return Probabilities(stream, stream.Predict(x, NameOf(user)));
      },
      py::arg("x"), py::arg("user") = py::none(),
      "predict_proba_one(x, user=None)\n\nAs predict_one, a round as well: "
      "{label: probability} of both labels, or of the class told.\nRaises "
      "FailedPrecondition for a model that has none; the round is then "
      "spent.");
  made.def(
      "learn_one",
      [](Stream& stream, py::object x, py::object y, py::handle user) {
        Ensure(stream, x);
        stream.Learn(x, y, NameOf(user));
      },
      py::arg("x"), py::arg("y"), py::arg("user") = py::none(),
      "learn_one(x, y, user=None)\n\nThe label of the round that was asked "
      "about last, or of that user's oldest; x must be the\nsame row. "
      "Without such a round it is a round of its own, whose answer nobody "
      "sees.\nFor labels that come late and in any order: open and close.");
}

void BindBulk(Class& made) {
  // None: the columns are known.
  made.def("_begin", [](Stream& stream, py::object x) {
    Ensure(stream, x.is_none() ? py::handle() : py::handle(x));
  });
  made.def("_reset", &Stream::Reset);
  made.def("_begin_named", [](Stream& stream,
                              const std::vector<std::string>& names) {
    if (stream.begun()) return;
    Making making = MakingOf(stream, py::cast(&stream));
    std::vector<std::string> columns =
        making.schema || !making.columns.empty() ? NamesOf(making, {}) : names;
    stream.Begin(std::move(making), std::move(columns));
  });
  made.def("_train",
           [](Stream& stream, py::object x, py::object y, py::object users) {
             stream.Train(Table(x, y, users));
           });
  made.def("_play_table",
           [](Stream& stream, py::object x, py::object y, py::object users,
              Answers& answers, py::object between) {
             stream.PlayTable(Table(x, y, users), answers, between);
           });
  made.def("_play_rows",
           [](Stream& stream, py::iterator rows, Answers& answers,
              py::object between) { stream.PlayRows(rows, answers, between); });
}

void BindViews(Class& made) {
  made.def_property_readonly("_begun",
                             [](const Stream& s) { return s.begun(); });
  made.def("_facts", [](Stream& s) {
    const Gate::Pass pass(s.gate());
    py::dict facts;
    facts["rounds"] = s.session().rounds();
    facts["phase"] = s.session().phase();
    facts["halted"] = s.session().halted();
    facts["seeded"] = s.session().seeded();
    facts["words"] = s.session().model().InWords();
    facts["guarantee"] = ToJson(s.session().guarantee()).Dump();
    facts["columns"] = s.reader().columns();
    return facts;
  });
  made.def("_label", [](const Stream& s) {
    const LabelType& type = s.reader().label_type();
    py::list names;
    for (std::uint32_t i = 0; i < type.classes(); ++i) {
      names.append(s.reader().ToPython(Label::OfClass(i)));
    }
    return names;
  });
  made.def("_hypothesis", [](Stream& s) -> std::optional<std::string> {
    const auto learned = s.Hypothesis();
    if (!learned) return std::nullopt;
    return learned->Dump();
  });
  made.def("_report_json", [](Stream& s, bool open, bool interrupted) {
    return RunJson(ReportFor(s, open, interrupted)).Dump();
  });
  made.def("_report_text", [](Stream& s, bool open, bool interrupted) {
    return RunText(ReportFor(s, open, interrupted));
  });
  made.def("_report_html", [](Stream& s, bool open, bool interrupted) {
    return HtmlReport(ReportFor(s, open, interrupted));
  });
  made.def("_state", [](Stream& s) { return py::bytes(s.Save()); });
}

void BindFiles(py::module_& module) {
  module.def("write_state", [](const std::string& path, py::bytes payload) {
    Check(WriteStateFile(
        path, {std::string(kSessionState), kSessionStateVersion, payload}));
  });
  module.def("read_state", [](const std::string& path) {
    SavedState state =
        Checked(ReadStateFile(path, kSessionState, kSessionStateVersion));
    const auto head = Session::ReadHead(state.payload);
    if (!head) {
      Raise({head.error().code, path + ": " + head.error().message});
    }
    return py::make_tuple(head->model, head->settings.Dump(),
                          py::bytes(state.payload));
  });
}

}  // namespace

void BindStream(py::module_& module) {
  // The docstrings say it in Python's words.
  py::options options;
  options.disable_function_signatures();
  BindRound(module);
  Class made(module, "Stream", "An online model at work.");
  made.def(py::init([](const std::string& name) {
    return std::make_unique<Stream>(RowOf(name));
  }));
  BindVerbs(made);
  BindBulk(made);
  BindViews(made);
  BindAnswers(module);
  BindFiles(module);
}

}  // namespace sotto::python
