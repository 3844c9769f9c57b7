#include "sotto/service/online_served.h"

#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/online/conversation.h"
#include "sotto/service/name_hash.h"
#include "sotto/service/promise.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

// Sums over labelled rounds, of the model and of what it is compared with:
// mistakes, or absolute errors of numbers.
void AddErrors(const Session& session, Json& json) {
  const RunStats& stats = session.stats();
  const bool numbers = session.inputs().label.kind == LabelType::Kind::kNumber;
  const Comparison* const plain = session.comparison();
  Json errors = Json::Object{
      {"labelled", stats.now.labelled},
      {"own", numbers ? Json(stats.now.error) : Json(stats.now.mistakes)},
      {"constant", stats.baselines.majority},
      {"non_private", Json()}};
  if (plain != nullptr) {
    errors["non_private"] =
        numbers ? Json(plain->error()) : Json(plain->mistakes());
  }
  errors["measure"] = numbers ? "mean absolute error" : "wrong";
  json["errors"] = std::move(errors);
  if (stats.log_loss.rounds == 0) return;
  Json bins = Json::Array{};
  for (const RunStats::CalibrationBin& bin : stats.reliability) {
    bins.Add(Json::Array{bin.said, bin.positive, bin.rounds});
  }
  json["calibration"] = std::move(bins);
}

RoundSource DecodeRows(std::span<const std::string> rows,
                       const LabelType& labels) {
  return [rows, &labels,
          next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == rows.size()) return false;
    SOTTO_TRY_ASSIGN(auto record, DecodeRound(rows[next++], labels));
    round = std::move(record.round);
    return true;
  };
}

}  // namespace

OnlineServed::OnlineServed(OnlineSetup setup, std::unique_ptr<Session> session,
                           const Key& names, const Key& tickets,
                           const ReplyHash& replies)
    : setup_(std::move(setup)),
      session_(std::move(session)),
      machine_(*session_, replies),
      names_(names),
      name_key_(MakeNameKey(names)),
      repeat_key_(MakeRepeatKey(names)),
      seal_(tickets),
      repeats_(setup_.settings.GetInt("ticket-rounds")),
      guarantee_(setup_.slots ? CoverAbsence(session_->guarantee())
                              : session_->guarantee()) {}

Result<std::unique_ptr<ServedModel>> OnlineServed::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys,
    std::span<const std::string> training_rows) {
  SOTTO_TRY_ASSIGN(auto setup, OnlineSetup::Make(configuration));
  SOTTO_TRY_ASSIGN(auto session, Session::Create(*setup.entry, setup.settings,
                                                 setup.inputs, keys.noise));
  if (setup.entry->needs_training_set) {
    SOTTO_TRY(session->Train(DecodeRows(training_rows, setup.inputs.label)));
  }
  return std::unique_ptr<ServedModel>(new OnlineServed(
      std::move(setup), std::move(session), keys.names, keys.tickets, {}));
}

Result<std::vector<Record>> OnlineServed::ReadTrainingRows(
    const ModelConfiguration& configuration, const JournalKeys& keys) {
  SOTTO_TRY_ASSIGN(const auto setup, OnlineSetup::Make(configuration));
  std::vector<Record> rows;
  if (!setup.entry->needs_training_set) return rows;
  const Key names = MakeNameKey(keys.names);
  SOTTO_TRY_ASSIGN(auto reader, OpenTrainingSet(configuration, setup));
  RoundRecord record;
  while (true) {
    record.round.Clear();
    SOTTO_TRY_ASSIGN(const bool more, reader.Next(record.round));
    if (!more) return rows;
    std::string& user = record.round.user;
    if (!user.empty()) user = HashName(names, user);
    rows.push_back(EncodeRound(record, RecordType::kTrain));
  }
}

Result<Guarantee> OnlineServed::Check(const ModelConfiguration& configuration) {
  SOTTO_TRY_ASSIGN(const auto setup, OnlineSetup::Make(configuration));
  SOTTO_TRY_ASSIGN(const auto key, Key::Generate());
  SOTTO_TRY_ASSIGN(
      const auto session,
      Session::Create(*setup.entry, setup.settings, setup.inputs, key));
  if (setup.entry->needs_training_set) {
    SOTTO_TRY(OpenTrainingSet(configuration, setup));
  }
  return setup.slots ? CoverAbsence(session->guarantee())
                     : session->guarantee();
}

Status OnlineServed::Save(ByteWriter& writer) {
  names_.Save(writer);
  seal_.key().Save(writer);
  const ReplyHash hash = replies();
  writer.Raw({reinterpret_cast<const char*>(hash.data()), hash.size()});
  repeats_.Save(writer);
  if (setup_.slots) tally_.Save(writer);
  ByteWriter session;
  SOTTO_TRY(session_->Save(session));
  writer.Text(session.bytes());
  return Ok();
}

Result<std::unique_ptr<ServedModel>> OnlineServed::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  SOTTO_TRY_ASSIGN(auto setup, OnlineSetup::Make(configuration));
  ByteReader reader(state);
  SOTTO_TRY_ASSIGN(const auto names, Key::Load(reader));
  SOTTO_TRY_ASSIGN(const auto tickets, Key::Load(reader));
  ReplyHash hash{};
  reader.Raw(hash.size())
      .copy(reinterpret_cast<char*>(hash.data()), hash.size());
  RepeatTable repeats(setup.settings.GetInt("ticket-rounds"));
  SOTTO_TRY(repeats.Load(reader));
  SlotTally tally;
  if (setup.slots) tally.Load(reader);
  const std::string_view saved = reader.Text();
  SOTTO_TRY(reader.Finish());
  SOTTO_TRY_ASSIGN(auto session, Session::Load(*setup.entry, setup.settings,
                                               setup.inputs, saved));
  std::unique_ptr<OnlineServed> model(new OnlineServed(
      std::move(setup), std::move(session), names, tickets, hash));
  model->repeats_ = std::move(repeats);
  model->tally_ = tally;
  return std::unique_ptr<ServedModel>(std::move(model));
}

void OnlineServed::Rotate(const JournalKeys& fresh) {
  session_->Rotate(fresh.noise);
  seal_ = TicketSeal(fresh.tickets);
}

ServedStep OnlineServed::Prepare(const HostRequest& request) {
  switch (request.kind) {
    case HostRequest::Kind::kPredict:
      return PrepareRound(request);
    case HostRequest::Kind::kLabel:
      return PrepareLabel(request);
    case HostRequest::Kind::kAdd:
      break;
  }
  ServedStep step{.kind = request.kind};
  step.reply = InvalidReply();
  return step;
}

ServedStep OnlineServed::PrepareRound(const HostRequest& request) {
  ServedStep step{.kind = request.kind};
  if (const auto* kept =
          repeats_.Find(repeat_key_, request, step.round.repeat)) {
    step.reply = RestoreReply(*kept);
    return step;
  }
  if (session_->halted()) {
    step.reply = HaltedReply();
    return step;
  }
  ReadRound(request, step.round);
  const auto& answered = request.answered;
  if (answered && setup_.inputs.label.Has(answered->prediction)) {
    step.round.answered = answered;
  }
  step.record = Encode(step.round);
  return step;
}

Record OnlineServed::Encode(RoundRecord& round) const {
  Record record = EncodeRound(round);
  if (!setup_.slots || PadRound(record, setup_.round_bytes)) return record;
  round.round.presence = Presence::kUnusable;
  round.round.x.clear();
  round.error = "the row has too many values";
  record = EncodeRound(round);
  PadRound(record, setup_.round_bytes);
  return record;
}

ServedStep OnlineServed::MakeFiller(HostRequest::Kind kind, bool taken) {
  ServedStep step{.kind = kind};
  if (kind == HostRequest::Kind::kLabel) {
    // No user has the ticket of zeros: the label is refused.
    const LabelType& type = setup_.inputs.label;
    const bool number = type.kind == LabelType::Kind::kNumber;
    step.label.y = type.FromNumber(number ? type.low : 0);
    step.record = EncodeLabel(step.label);
    return step;
  }
  step.round.round.presence = Presence::kAbsent;
  step.round.left_over = !taken;
  step.record = Encode(step.round);
  return step;
}

void OnlineServed::ReadRound(const HostRequest& request, RoundRecord& record) {
  RowError error;
  bool good = false;
  if (request.unusable || request.body.size() > Conversation::kMaxLine) {
    setup_.lines.ParseCut(request.body, Conversation::kMaxLine, line_, error);
  } else {
    good = setup_.lines.Parse(request.body, line_, error);
  }
  if (good && line_.label) {
    error.Set(FaultReason::kSyntax, "a ticket", "features");
    good = false;
  }
  if (request.user.size() > kMaxUserBytes) {
    error.Set(FaultReason::kValue, "a longer name",
              "a name of at most 1024 bytes");
    good = false;
  }
  Round& round = record.round;
  std::swap(round, line_.round);
  line_.round.x.reserve(round.x.size());  // the next row is as long, mostly
  round.user.clear();
  const bool named = request.user.size() <= kMaxUserBytes;
  if (named && !request.user.empty()) {
    round.user = HashName(name_key_, request.user);
  }
  if (good) return;
  round.presence = Presence::kUnusable;
  round.x.clear();
  round.y.reset();
  record.error = ClipError(request.unusable ? "the body cannot be read"
                                            : error.ReplyText());
}

ServedStep OnlineServed::PrepareLabel(const HostRequest& request) {
  ServedStep step{.kind = request.kind};
  RowError error;
  const bool good = !request.unusable &&
                    request.body.size() <= Conversation::kMaxLine &&
                    setup_.lines.Parse(request.body, line_, error) &&
                    line_.label && line_.round.y;
  const auto shown =
      good ? seal_.Read(line_.ticket) : std::optional<TicketSeal::Shown>();
  if (!shown) {
    step.reply = RefusedReply();
    return step;
  }
  step.label = {shown->ticket, *line_.round.y};
  if (machine_.TicketIsOpen(shown->ticket)) {
    step.record = EncodeLabel(step.label);
  } else if (shown->number &&
             machine_.TicketIsLost(shown->ticket, *shown->number)) {
    step.reply = UnavailableReply();
    step.from_lost_records = true;
  }
  return step;
}

Result<HostReply> OnlineServed::Apply(ServedStep& step) {
  if (step.reply) return *step.reply;
  if (step.kind == HostRequest::Kind::kPredict) return Play(step.round, true);
  auto outcome = machine_.Look(step.label);
  if (step.record) {
    SOTTO_TRY_ASSIGN(outcome, Take(step.label));
  }
  return outcome == Outcome::kRefused ? RefusedReply() : TakenReply();
}

Result<OnlineServed::Outcome> OnlineServed::Take(const LabelRecord& label) {
  if (setup_.slots) tally_.AddLabel(label.ticket != Hash16{});
  return machine_.Take(label);
}

Result<HostReply> OnlineServed::Play(RoundRecord& record, bool shown) {
  if (record.repeat) {
    // The same request may be in this block already.
    if (const auto* kept = repeats_.Find(*record.repeat))
      return RestoreReply(*kept);
  }
  SOTTO_TRY_ASSIGN(const auto outcome, machine_.Play(record));
  repeats_.Expire(session_->rounds());
  if (setup_.slots) tally_.AddRound(!record.left_over, setup_.slots->rounds);
  if (!shown && !record.repeat) return HostReply();
  HostReply reply = RoundReply(outcome, record.error);
  if (record.repeat) {
    repeats_.Keep(*record.repeat, session_->rounds(), KeepReply(reply));
  }
  return reply;
}

HostReply OnlineServed::RoundReply(const RoundOutcome& outcome,
                                   const std::string& error) const {
  switch (outcome.kind) {
    case RoundOutcome::Kind::kAnswered:
      return AnsweredReply(
          outcome, setup_.inputs.label,
          outcome.ticket.empty()
              ? ""
              : seal_.Write(outcome.ticket, session_->rounds()));
    case RoundOutcome::Kind::kHalted:
      return HaltedReply();
    case RoundOutcome::Kind::kBadRow:
    case RoundOutcome::Kind::kOverLimit:
    case RoundOutcome::Kind::kAbsent:
      break;
  }
  return EmptyReply(outcome.kind, error);
}

Status OnlineServed::Replay(const RecordView& record) {
  const LabelType& labels = setup_.inputs.label;
  if (record.type == RecordType::kLabel) {
    SOTTO_TRY_ASSIGN(const auto label, DecodeLabel(record.payload, labels));
    SOTTO_TRY(Take(label));
    return Ok();
  }
  if (record.type != RecordType::kRound) return machine_.Replay(record);
  SOTTO_TRY_ASSIGN(auto round, DecodeRound(record.payload, labels));
  SOTTO_TRY(Play(round, false));
  return Ok();
}

std::size_t OnlineServed::longest_body() const {
  return LongestRoundReply(setup_.inputs.label, TicketSeal::kDigits);
}

Json OnlineServed::Describe() const {
  const RunStats& stats = session_->stats();
  const RunStats::Point& now = stats.now;
  Json json = Json::Object{{"model", setup_.entry->name},
                           {"guarantee", ToJson(guarantee())},
                           {"parameters", session_->model().parameters()},
                           {"rounds", now.rounds},
                           {"phase", phase()},
                           {"halted", halted()}};
  json["publishes"] = setup_.entry->publishes;
  json["summary"] = session_->model().Summary();
  json["promise"] = DescribePromise(guarantee(), setup_.entry->publishes,
                                    setup_.slots.has_value());
  if (setup_.slots)
    json["clock"] =
        DescribeSlots(setup_.entry->name, *setup_.slots, tally_, guarantee());
  // The operator's own view.
  json["labelled"] = now.labelled;
  json["mistakes"] = now.mistakes;
  if (setup_.inputs.label.kind == LabelType::Kind::kNumber &&
      now.labelled > 0) {
    json["mean_absolute_error"] = now.error / static_cast<double>(now.labelled);
  }
  json["paid"] = now.paid;
  json["labels_waiting"] = session_->open_tickets();
  json["repeats_kept"] = repeats_.size();
  json["empty"] = Json::Object{{"absent", stats.absent},
                               {"unusable", stats.unusable},
                               {"refused", stats.refused}};
  AddErrors(*session_, json);
  return json;
}

std::optional<std::string> OnlineServed::Hypothesis() const {
  const auto published = session_->Hypothesis();
  if (!published) return std::nullopt;
  Json json = *published;
  if (setup_.slots) json["guarantee"] = ToJson(guarantee());
  return json.Dump();
}

}  // namespace sotto
