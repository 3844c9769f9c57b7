#include "extension/stream.h"

#include <pybind11/stl.h>

#include <utility>

#include "extension/bindings.h"
#include "extension/without_gil.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/registry.h"

namespace sotto::python {
namespace {

Result<ExampleReader::Params> ReaderParams(const OnlineModelEntry& entry,
                                           const ModelConfig& making) {
  auto params = MakeReaderParams(making.settings);
  if (!params) return params.error();
  params->encoding.schema = making.schema;
  params->label_optional = entry.needs_training_set;
  // Sparse rows are those of a libsvm file, dicts of any names those of vw.
  if (making.places) params->format = StreamFormat::kLibsvm;
  if (making.any_names) params->format = StreamFormat::kVw;
  SOTTO_TRY(entry.prepare(making.settings, *params));
  if (making.places) params->encoding.features = making.places;
  return params;
}

Result<std::unique_ptr<RowReader>> MakeReader(
    const ModelConfig& making, const ExampleReader::Params& params,
    std::vector<std::string> columns) {
  if (making.places) return RowReader::CreateSparse(params);
  if (making.any_names) return RowReader::CreateNamed(params);
  return RowReader::Create(params, std::move(columns));
}

// Planning may take long: other threads run meanwhile.
Result<std::unique_ptr<Session>> MakeSession(const OnlineModelEntry& entry,
                                             const ModelConfig& making,
                                             InputSpec inputs) {
  const WithoutGil released;
  if (!making.state.empty()) {
    return Session::Load(entry, making.settings, std::move(inputs),
                         making.state);
  }
  SOTTO_TRY_ASSIGN(const auto key,
                   FreshKey(making.settings.GetOptionalInt("seed")));
  return Session::Create(entry, making.settings, std::move(inputs), key,
                         making.settings.Has("seed"));
}

void Warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 2) != 0) {
    throw py::error_already_set();
  }
}

// Warns before any data if the run would spend epsilon for nothing, or if its
// guarantee is weaker than it looks.
void WarnOfUselessRun(const Settings& settings, const Session& session) {
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  if (!session.guarantee().schedule() &&
      settings.GetDouble("delta") * horizon > 1) {
    Warn(
        "delta is above 1/horizon, so that it alone would allow somebody's "
        "round to be published");
  }
  if (session.model().forecast().verdict != ToString(Verdict::kHopeless))
    return;
  Warn(
      "the plan calls this run hopeless; plan() says what would help, or which "
      "model suits the stream");
}

}  // namespace

Stream::Stream(OnlineModelEntry entry, const ModelConfig& making,
               std::vector<std::string> columns)
    : entry_(std::move(entry)) {
  auto params = Checked(ReaderParams(entry_, making));
  reader_ = Checked(MakeReader(making, params, std::move(columns)));
  if (!making.classes.is_none()) {
    Check(reader_->NameLabels(making.classes,
                              params.label_reading == LabelReading::kIgnored));
  }
  session_ = Checked(MakeSession(entry_, making, MakeInputSpec(*reader_)));
  if (making.state.empty() && !making.settings.Flag("force")) {
    WarnOfUselessRun(making.settings, *session_);
  }
  silent_ = params.skip_bad;
  quiet_ = params.quiet_faults;
  const ModelFileFormat* published = FindPublishedModel(entry_.name);
  published_ = std::make_unique<PublicationLog>(
      *session_, published == nullptr ? PublicationLog::Show{}
                                      : PublicationLog::Show(published->show));
}

void Stream::CheckUsable() const {
  if (!broken_) return;
  Raise({ErrorCode::kFailedPrecondition,
         "the model failed before and is not to be used"});
}

Stream::Read Stream::ReadRow(py::handle x, std::string user) const {
  Read read;
  read.round.user = std::move(user);
  read.usable = reader_->Read(x, read.round, read.fault);
  return read;
}

void Stream::RaiseFault(const RowError& fault, const char* position) const {
  Raise(InvalidArgument(quiet_ ? fault.PublicText(position)
                               : fault.Text(position)));
}

void Stream::ReportFault(const Read& read) {
  if (read.usable) return;
  skipped_.Add(read.fault.reason);
  if (!silent_) RaiseFault(read.fault, "x");
}

void Stream::Fail(const Error& error) {
  if (error.code != ErrorCode::kFailedPrecondition) broken_ = true;
  Raise(error);
}

OpenResult Stream::OpenRound(Round& round) {
  CheckUsable();
  auto ticket = Undisturbed([&] { return session_->Open(round); });
  if (!ticket) Fail(ticket.error());
  return {*std::move(ticket), round.prediction, round.probability,
          round.presence};
}

OpenResult Stream::Open(py::handle x, std::string user) {
  Read read = ReadRow(x, std::move(user));
  const Gate::Pass pass(gate_);
  OpenResult opened = OpenRound(read.round);
  ReportFault(read);
  return opened;
}

void Stream::PlayEmptyRound(std::string user) {
  Round round;
  round.presence = Presence::kAbsent;
  round.user = std::move(user);
  const Gate::Pass pass(gate_);
  OpenRound(round);
}

std::optional<Label> Stream::GetLabel(py::handle y) const {
  std::optional<Label> label;
  RowError fault;
  if (!reader_->ReadLabel(y, label, fault)) {
    RaiseFault(fault, "y");
  }
  return label;
}

TicketedRounds::Outcome Stream::Teach(const std::string& ticket,
                                      const Label& y) {
  CheckUsable();
  const auto outcome = Undisturbed([&] { return session_->Close(ticket, y); });
  if (!outcome) {
    broken_ = true;
    Raise(outcome.error());
  }
  return *outcome;
}

bool Stream::Close(const std::string& ticket, py::handle y) {
  const std::optional<Label> label = GetLabel(y);
  const Gate::Pass pass(gate_);
  if (!label) return false;
  if (Teach(ticket, *label) == TicketedRounds::Outcome::kRefused) {
    Raise(InvalidArgument("this ticket takes no such label"));
  }
  return true;
}

// Probabilities by the weights that predicted the round. Requires a pass of the
// gate, and a model that publishes scores.
std::vector<double> Stream::AllProbabilities(const Round& round) {
  if (!round.prediction || !round.probability) return {};
  if (!scorer_ || scorer_phase_ != session_->phase()) {
    const auto published = session_->Hypothesis();
    if (!published) return {};
    scorer_ = Checked(MakeScorer(*published));
    scorer_phase_ = session_->phase();
  }
  if (!scorer_ || !scorer_->has_probabilities()) return {};
  std::vector<double> scores(scorer_->outputs());
  std::vector<double> probabilities(scorer_->label_type().classes());
  scorer_->Scores(round.x, scores);
  scorer_->Probabilities(scores, probabilities);
  return probabilities;
}

OpenResult Stream::Predict(py::handle x, std::string user, bool all) {
  Read read = ReadRow(x, std::move(user));
  const std::string name = read.round.user;
  // Objects that are destroyed here may call the model: after the gate.
  Pending pending{py::reinterpret_borrow<py::object>(x), read.round.x,
                  read.round.presence};
  const Gate::Pass pass(gate_);
  OpenResult opened = OpenRound(read.round);
  if (all) opened.probabilities = AllProbabilities(read.round);
  pending.ticket = opened.ticket;
  pending.alone = Waiting(name) == nullptr;
  std::swap(waiting_[name], pending);
  // The user's round before this one gets no label any more.
  if (pending.ticket) session_->Forget(*pending.ticket);
  ReportFault(read);
  return opened;
}

// Returns the last round of Predict under that name, or without one, if it has
// no label yet. It depends on the order of calls and on names, never on what
// rows hold.
const Stream::Pending* Stream::Waiting(const std::string& user) const {
  const auto found = waiting_.find(user);
  return found == waiting_.end() ? nullptr : &found->second;
}

bool Stream::HasQuestions() {
  const Gate::Pass pass(gate_);
  return !waiting_.empty();
}

Stream::Snapshot Stream::Snap() {
  const Gate::Pass pass(gate_);
  return {SavedState(), Questions(), session_->rounds()};
}

py::list Stream::Questions() const {
  py::list questions;
  for (const auto& [user, pending] : waiting_) {
    py::list x;
    for (const Feature& feature : pending.x) {
      x.append(py::make_tuple(feature.index, feature.value));
    }
    questions.append(py::make_tuple(user, x,
                                    static_cast<unsigned>(pending.presence),
                                    pending.ticket, pending.alone));
  }
  return questions;
}

void Stream::Ask(const py::list& questions) {
  const Gate::Pass pass(gate_);
  for (const py::handle question : questions) {
    const auto fields = py::reinterpret_borrow<py::tuple>(question);
    Pending pending;
    for (const py::handle one : fields[1]) {
      const auto [index, value] = one.cast<std::pair<std::uint32_t, double>>();
      pending.x.push_back({index, value});
    }
    const auto presence = fields[2].cast<unsigned>();
    if (presence > static_cast<unsigned>(Presence::kRefused)) {
      Raise({ErrorCode::kCorruption, "a question that makes no sense"});
    }
    pending.presence = static_cast<Presence>(presence);
    pending.ticket = fields[3].cast<std::optional<std::string>>();
    pending.alone = fields.size() > 4 && fields[4].cast<bool>();
    waiting_[fields[0].cast<std::string>()] = std::move(pending);
  }
}

void Stream::Learn(py::handle x, py::handle y, const std::string& user) {
  std::optional<Label> label;
  RowError bad_label;
  const bool labelled = reader_->ReadLabel(y, label, bad_label);
  // The same object as in the question need not be read again.
  const Pending* asked = Waiting(user);
  const bool same = asked != nullptr && asked->asked.is(x);
  Read read = same ? Read{} : ReadRow(x, user);
  Pending taken;
  const Gate::Pass pass(gate_);
  CheckUsable();
  // Another thread may have been faster.
  asked = Waiting(user);
  if (same && (asked == nullptr || !asked->asked.is(x))) {
    read = ReadRow(x, user);
  }
  if (asked == nullptr) {
    LearnFresh(std::move(read), label, labelled);
  } else {
    // For all x and y: whether a round waits for its label is public.
    taken = std::move(waiting_.extract(user).mapped());
    const bool about_it =
        taken.alone || taken.asked.is(x) ||
        (taken.presence == read.round.presence && taken.x == read.round.x);
    if (about_it && taken.ticket && label) Teach(*taken.ticket, *label);
    if (taken.ticket) session_->Forget(*taken.ticket);
    if (!about_it) {
      Raise({ErrorCode::kFailedPrecondition,
             "learn_one was given another x than the last of several "
             "predict_one, so its label belongs to no round: whose label it is "
             "must not depend on what rows hold. Use open(x) and close(y), or "
             "names of users, for delayed labels"});
    }
  }
  if (!labelled && !silent_) RaiseFault(bad_label, "y");
}

// Plays a round and drops its prediction. Requires a pass of the gate.
void Stream::LearnFresh(Read read, const std::optional<Label>& label,
                        bool labelled) {
  // A row with a bad label is one that cannot be used.
  if (!labelled) MakeUnusable(read.round);
  const OpenResult opened = OpenRound(read.round);
  if (opened.ticket && label) Teach(*opened.ticket, *label);
  if (opened.ticket) session_->Forget(*opened.ticket);
  ReportFault(read);
}

std::string Stream::Save() {
  const Gate::Pass pass(gate_);
  return SavedState();
}

std::string Stream::SavedState() {
  CheckUsable();
  ByteWriter writer;
  Check(session_->Save(writer));
  return std::move(writer).bytes();
}

RunReport Stream::Report() {
  const Gate::Pass pass(gate_);
  RunReport report = MakeReport(*session_);
  report.played_now = session_->rounds();
  report.seconds = seconds_;
  report.skipped = skipped_;
  report.published = published_->Entries();
  return report;
}

std::optional<Json> Stream::Hypothesis() {
  const Gate::View view(gate_);
  return session_->Hypothesis();
}

}  // namespace sotto::python
