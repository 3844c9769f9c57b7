#include "extension/stream.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "extension/bindings.h"
#include "extension/without_gil.h"
#include "sotto/registry/registry.h"
#include "sotto/run/fresh_key.h"
#include "sotto/run/reader_options.h"

namespace sotto::python {
namespace {

Result<ExampleReader::Params> ReaderParams(const OnlineRow& row,
                                           const Making& making) {
  auto params = ReaderParamsOf(making.settings);
  if (!params) return params.error();
  params->encoding.schema = making.schema;
  params->label_optional = row.trains;
  if (Status prepared = row.prepare(making.settings, *params); !prepared) {
    return prepared.error();
  }
  return params;
}

Result<std::unique_ptr<Session>> MakeSession(const OnlineRow& row,
                                             const Making& making,
                                             Inputs inputs) {
  if (!making.state.empty()) {
    return Session::Load(row, making.settings, std::move(inputs), making.state);
  }
  const auto key = FreshKey(making.settings.MaybeWhole("seed"));
  if (!key) return key.error();
  return Session::Create(row, making.settings, std::move(inputs), *key,
                         making.settings.Has("seed"));
}

void Warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 2) != 0) {
    throw py::error_already_set();
  }
}

// Known before any data: whoever goes on spends epsilon for nothing, or
// promises less than it seems.
void WarnOfUselessRun(const Settings& settings, const Session& session) {
  const auto horizon = static_cast<double>(settings.Whole("horizon"));
  if (!session.guarantee().schedule() && settings.Real("delta") * horizon > 1) {
    Warn(
        "delta is above 1/horizon, so that it alone would allow somebody's "
        "round to be published");
  }
  if (session.model().outlook().verdict != ToString(Verdict::kHopeless)) return;
  Warn(
      "the plan calls this run hopeless; plan() says what would help, or which "
      "model suits the stream");
}

}  // namespace

Stream::Stream(OnlineRow row, const Making& making,
               std::vector<std::string> columns)
    : row_(std::move(row)) {
  auto params = Checked(ReaderParams(row_, making));
  reader_ = Checked(RowReader::Create(params, std::move(columns)));
  if (!making.classes.is_none()) {
    Check(reader_->NameLabels(making.classes, params.ignore_labels));
  }
  session_ = Checked(MakeSession(row_, making, InputsOf(*reader_)));
  if (making.state.empty() && !making.settings.Flag("anyway")) {
    WarnOfUselessRun(making.settings, *session_);
  }
  skip_bad_ = params.skip_bad;
  quiet_ = params.quiet_faults;
  const PublishedRow* published = FindPublishedModel(row_.name);
  published_ = std::make_unique<PublicationLog>(
      *session_, published == nullptr ? PublicationLog::Show{}
                                      : PublicationLog::Show(published->show));
}

void Stream::CheckUsable() const {
  if (broken_.empty()) return;
  Raise({ErrorCode::kFailedPrecondition,
         "the model failed before and is not to be used: " + broken_});
}

Stream::Read Stream::ReadRow(py::handle x, std::string user) const {
  Read read;
  read.round.user = std::move(user);
  read.usable = reader_->Read(x, read.round, read.fault);
  return read;
}

void Stream::RaiseFault(const RowFault& fault,
                        const std::string& position) const {
  Raise(InvalidArgument(quiet_ ? fault.PublicText(position)
                               : fault.Text(position)));
}

Opened Stream::OpenRound(Round& round) {
  CheckUsable();
  auto ticket = session_->Open(round);
  if (!ticket) {
    // What is refused at once has changed nothing.
    if (ticket.error().code != ErrorCode::kFailedPrecondition) {
      broken_ = ticket.error().message;
    }
    Raise(ticket.error());
  }
  return {*std::move(ticket), round.told, round.probability, round.presence};
}

Opened Stream::Open(py::handle x, std::string user) {
  Read read = ReadRow(x, std::move(user));
  const Gate::Pass pass(gate_);
  Opened opened = OpenRound(read.round);
  if (read.usable) return opened;
  skipped_.Add(read.fault.reason);
  if (!skip_bad_) RaiseFault(read.fault, "x");
  return opened;
}

void Stream::Tick(std::string user) {
  Round round;
  round.presence = Presence::kAbsent;
  round.user = std::move(user);
  const Gate::Pass pass(gate_);
  OpenRound(round);
}

std::optional<Label> Stream::LabelOf(py::handle y) const {
  std::optional<Label> label;
  RowFault fault;
  if (!reader_->ReadLabel(y, label, fault)) {
    RaiseFault(fault, "y");
  }
  return label;
}

TicketedRounds::Outcome Stream::Teach(const std::string& ticket,
                                      const Label& y) {
  CheckUsable();
  const auto outcome = session_->Close(ticket, y);
  if (!outcome) {
    broken_ = outcome.error().message;
    Raise(outcome.error());
  }
  return *outcome;
}

bool Stream::Close(const std::string& ticket, py::handle y) {
  const std::optional<Label> label = LabelOf(y);
  const Gate::Pass pass(gate_);
  if (!label) return true;  // it never came
  return Teach(ticket, *label) != TicketedRounds::Outcome::kRefused;
}

Opened Stream::Predict(py::handle x, std::string user) {
  Read read = ReadRow(x, std::move(user));
  const std::string name = read.round.user;
  Pending pending{py::reinterpret_borrow<py::object>(x), read.round.x,
                  read.round.presence};
  const Gate::Pass pass(gate_);
  Opened opened = OpenRound(read.round);
  pending.ticket = opened.ticket;
  // Whatever that user was asked about before gets no label any more.
  if (const Pending* before = Waiting(name); before && before->ticket) {
    session_->Forget(*before->ticket);
  }
  waiting_[name] = std::move(pending);
  if (read.usable) return opened;
  skipped_.Add(read.fault.reason);
  if (!skip_bad_) RaiseFault(read.fault, "x");
  return opened;
}

// The round that was asked about last under that name, or without one, if its
// label has not come. It depends on the order of calls and on names, never on
// what rows hold.
const Stream::Pending* Stream::Waiting(const std::string& user) const {
  const auto found = waiting_.find(user);
  return found == waiting_.end() ? nullptr : &found->second;
}

Stream::Pending Stream::TakeWaiting(const std::string& user) {
  return std::move(waiting_.extract(user).mapped());
}

py::list Stream::Questions() {
  const Gate::Pass pass(gate_);
  py::list questions;
  for (const auto& [user, pending] : waiting_) {
    py::list x;
    for (const Feature& feature : pending.x) {
      x.append(py::make_tuple(feature.index, feature.value));
    }
    questions.append(py::make_tuple(
        user, x, static_cast<unsigned>(pending.presence), pending.ticket));
  }
  return questions;
}

void Stream::Ask(const py::list& questions) {
  const Gate::Pass pass(gate_);
  for (const py::handle question : questions) {
    const auto told = py::reinterpret_borrow<py::tuple>(question);
    Pending pending;
    for (const py::handle one : told[1]) {
      const auto [index, value] = one.cast<std::pair<std::uint32_t, double>>();
      pending.x.push_back({index, value});
    }
    const auto presence = told[2].cast<unsigned>();
    if (presence > static_cast<unsigned>(Presence::kRefused)) {
      Raise({ErrorCode::kCorruption, "a question that makes no sense"});
    }
    pending.presence = static_cast<Presence>(presence);
    pending.ticket = told[3].cast<std::optional<std::string>>();
    waiting_[told[0].cast<std::string>()] = std::move(pending);
  }
}

void Stream::Learn(py::handle x, py::handle y, const std::string& user) {
  std::optional<Label> label;
  RowFault bad_label;
  const bool labelled = reader_->ReadLabel(y, label, bad_label);
  // Only a row that is not the very object that was asked about need be read.
  const Pending* asked = Waiting(user);
  const bool same = asked != nullptr && asked->asked.is(x);
  Read read = same ? Read{} : ReadRow(x, user);
  const Gate::Pass pass(gate_);
  CheckUsable();
  asked = Waiting(user);  // another thread may have been faster
  if (asked == nullptr) {
    if (same) read = ReadRow(x, user);
    LearnFresh(std::move(read), label, labelled);
  } else if (!asked->asked.is(x) && (asked->presence != read.round.presence ||
                                     asked->x != read.round.x)) {
    Raise({ErrorCode::kFailedPrecondition,
           "learn_one was given another x than predict_one before it: whose "
           "label it is must not depend on what rows hold. Use open(x) and "
           "close(y), or names of users, for labels that come late"});
  } else if (labelled) {
    const Pending taken = TakeWaiting(user);
    if (taken.ticket && label) Teach(*taken.ticket, *label);
    // Nobody has it.
    if (taken.ticket) session_->Forget(*taken.ticket);
  }
  if (!labelled && !skip_bad_) RaiseFault(bad_label, "y");
}

// A round whose answer nobody sees. Requires a pass of the gate.
void Stream::LearnFresh(Read read, const std::optional<Label>& label,
                        bool labelled) {
  // A row with a bad label is one that cannot be used.
  if (!labelled) MakeUnusable(read.round);
  const Opened opened = OpenRound(read.round);
  if (opened.ticket && label) Teach(*opened.ticket, *label);
  if (opened.ticket) session_->Forget(*opened.ticket);
  if (read.usable) return;
  skipped_.Add(read.fault.reason);
  if (!skip_bad_) RaiseFault(read.fault, "x");
}

void Stream::Train(const Table& table) {
  const Gate::Pass pass(gate_);
  CheckUsable();
  std::size_t next = 0;
  std::optional<Error> bad;
  const auto rows = [&](Round& round) -> Result<bool> {
    if (next == table.rows()) return false;
    RowFault fault;
    if (table.Read(*reader_, next, {&round, 1}, fault) == 0) {
      skipped_.Add(fault.reason);
      if (!skip_bad_) {
        const std::string where = "row " + std::to_string(next);
        return InvalidArgument(quiet_ ? fault.PublicText(where)
                                      : fault.Text(where));
      }
    }
    ++next;
    return true;
  };
  const Status trained = session_->Train(rows);
  if (trained) return;
  if (trained.error().code != ErrorCode::kFailedPrecondition) {
    broken_ = trained.error().message;
  }
  Raise(trained.error());
}

std::size_t Stream::PlaySpan(std::span<Round> rounds, Answers& answers) {
  const Gate::Pass pass(gate_);
  CheckUsable();
  Result<std::size_t> played = std::size_t{0};
  const auto start = std::chrono::steady_clock::now();
  {
    const WithoutGil released;
    played = session_->Play(rounds);
  }
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (!played) {
    if (played.error().code != ErrorCode::kFailedPrecondition) {
      broken_ = played.error().message;
    }
    Raise(played.error());
  }
  constexpr double kNobody = std::numeric_limits<double>::quiet_NaN();
  for (const Round& round : rounds.first(*played)) {
    answers.told.push_back(round.told ? round.told->number() : kNobody);
    answers.probabilities.push_back(round.probability.value_or(kNobody));
  }
  seconds_ += time.count();
  NextSpan(time.count());
  return *played;
}

// About fifty times a second, between two spans, signals are looked at.
void Stream::NextSpan(double seconds) {
  constexpr std::size_t kMost = 4096;
  if (seconds < 0.01) span_ = std::min(2 * span_, kMost);
  if (seconds > 0.04) span_ = std::max<std::size_t>(span_ / 2, 1);
}

namespace {

void LookUp(const py::object& between, std::size_t played) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!between.is_none() && played > 0) between(played);
}

}  // namespace

void Stream::PlayTable(const Table& table, Answers& answers,
                       const py::object& between) {
  std::vector<Round> rounds;
  answers.told.reserve(answers.told.size() + table.rows());
  answers.probabilities.reserve(answers.told.capacity());
  std::size_t next = 0;
  while (next < table.rows()) {
    const std::size_t count = std::min(span_, table.rows() - next);
    if (rounds.size() < count) rounds.resize(count);
    RowFault fault;
    std::size_t good = 0;
    if (table.objects()) {
      good = table.Read(*reader_, next, {rounds.data(), count}, fault);
    } else {
      const WithoutGil released;
      good = table.Read(*reader_, next, {rounds.data(), count}, fault);
    }
    const bool bad = good < count;
    // One that is skipped is the empty round it was made.
    const std::size_t ready = good + (bad && skip_bad_ ? 1 : 0);
    const std::size_t played = PlaySpan({rounds.data(), ready}, answers);
    if (bad) skipped_.Add(fault.reason);
    if (played < ready) return;  // it has halted
    if (bad && !skip_bad_) {
      RaiseFault(fault, "row " + std::to_string(next + good));
    }
    next += ready;
    LookUp(between, played);
  }
}

namespace {

bool NoItem(const std::string& what, RowFault& fault) {
  fault.Set(FaultReason::kSyntax, what, "(x, y) or (x, y, user)");
  return false;
}

}  // namespace

// What a stream hands out: (x, y) or (x, y, user); None is an empty round.
bool Stream::ReadItem(py::handle item, Round& round, RowFault& fault) const {
  if (item.is_none()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  if (!PyTuple_Check(item.ptr())) {
    return NoItem(
        "an object of type " + std::string(Py_TYPE(item.ptr())->tp_name),
        fault);
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(item);
  if (parts.size() != 2 && parts.size() != 3) {
    return NoItem(std::to_string(parts.size()) + " values", fault);
  }
  if (parts.size() == 3 && !ReadName(parts[2].ptr(), round.user, fault)) {
    return false;
  }
  if (parts[0].is_none()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  return reader_->Read(parts[0], round, fault) &&
         reader_->ReadLabel(parts[1], round.y, fault);
}

void Stream::PlayRows(const py::iterator& rows, Answers& answers,
                      const py::object& between) {
  std::vector<Round> rounds;
  std::size_t row = 0;
  py::iterator at = rows;
  bool ended = false;
  while (!ended) {
    const std::size_t count = std::min<std::size_t>(span_, 1024);
    if (rounds.size() < count) rounds.resize(count);
    std::size_t ready = 0;
    std::optional<RowFault> fault;
    std::optional<py::error_already_set> raised;
    try {
      for (; ready < count && !fault && at != py::iterator::sentinel(); ++at) {
        Round& round = rounds[ready];
        round.Clear();
        RowFault found;
        const bool good = ReadItem(*at, round, found);
        if (!good) {
          MakeUnusable(round);
          skipped_.Add(found.reason);
          if (!skip_bad_) {
            fault = found;
            break;
          }
        }
        ++ready;
      }
      ended = at == py::iterator::sentinel();
    } catch (py::error_already_set& error) {
      // What was read before is played first.
      raised.emplace(error);
    }
    const std::size_t played = PlaySpan({rounds.data(), ready}, answers);
    row += played;
    if (raised) throw *raised;
    if (played < ready) return;
    if (fault) RaiseFault(*fault, "row " + std::to_string(row));
    LookUp(between, played);
  }
}

std::string Stream::Save() {
  const Gate::Pass pass(gate_);
  CheckUsable();
  ByteWriter writer;
  Check(session_->Save(writer));
  return std::move(writer).bytes();
}

RunReport Stream::Report() {
  const Gate::Pass pass(gate_);
  RunReport report = ReportOf(*session_);
  report.played_now = session_->rounds();
  report.seconds = seconds_;
  report.skipped = skipped_;
  report.published = published_->Entries();
  return report;
}

std::optional<Json> Stream::Hypothesis() {
  const Gate::Pass pass(gate_);
  return session_->Hypothesis();
}

}  // namespace sotto::python
