#include "sotto/online/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/online/public_mistakes.h"
#include "sotto/online/shared_options.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kLargestBatch = 1024;

// A round that Play of a model takes: present, and of a user of this round only
// (a named one must be asked for one by one, because some are refused).
bool Plain(const Round& round) { return round.present() && round.user.empty(); }

Status CheckLabels(const OnlineModelEntry& entry, const InputSpec& inputs) {
  if (std::ranges::find(entry.labels, inputs.label.kind) !=
      entry.labels.end()) {
    return Ok();
  }
  std::string taken;
  for (const auto kind : entry.labels) {
    taken += (taken.empty() ? "" : " or ") + std::string(KindText(kind));
  }
  return InvalidArgument("the label is " +
                         std::string(KindText(inputs.label.kind)) + "; " +
                         std::string(entry.name) + " takes " + taken);
}

// A public choice about what a probability means: it changes a user's own
// prediction and nothing that is learned.
void ApplyThreshold(const Settings& settings, std::span<Round> rounds) {
  const auto threshold = settings.GetOptionalDouble("threshold");
  if (!threshold) return;
  for (Round& round : rounds) {
    if (round.prediction && round.probability) {
      round.prediction = Label(*round.probability >= *threshold);
    }
  }
}

Status CheckThreshold(const OnlineModelEntry& entry, const Settings& settings,
                      const LabelType& label) {
  if (!settings.Has("threshold")) return Ok();
  if (entry.probabilities && label.kind == LabelType::Kind::kTwo) return Ok();
  return InvalidArgument(
      "--threshold needs a model with probabilities (tide), and two labels");
}

Status CheckOptions(const OnlineModelEntry& entry, const Settings& settings) {
  for (const Option& option : Session::Options(entry)) {
    if (FindOption(settings.table(), option.name) != nullptr) continue;
    return InvalidArgument("the settings have no option --" +
                           std::string(option.name) +
                           ": make them from Session::Options");
  }
  return Ok();
}

// The model's promise is for the neighbours that the settings ask for: rounds
// of a public clock, this relation, this many rounds of a user.
Status CheckNeighbours(const Guarantee& model, const Settings& settings) {
  const bool enough =
      model.rounds_per_user() >= settings.GetInt("rounds-per-user");
  const bool related = ToString(model.relation()) == settings.Text("relation");
  if (model.in_rounds() && enough && related) return Ok();
  return BudgetExhausted(
      "the model does not promise what --relation and --rounds-per-user ask "
      "for: " +
      model.Describe());
}

// The promise of the whole session must follow from the model's.
Status CheckPromise(const Guarantee& model, const BudgetSplit& split) {
  const bool within =
      model.epsilon() <= split.model.epsilon &&
      (split.model.delta == 0 || model.delta() <= split.model.delta);
  if (!within) {
    return BudgetExhausted(
        "the model cannot keep its part of epsilon and delta: " +
        model.Describe());
  }
  if (!split.mistakes) return Ok();
  if (model.adversary() != Adversary::kAdaptive) {
    return InvalidArgument(
        "--public needs a model that is private against an adaptive "
        "adversary: the mistakes depend on its answers");
  }
  return Ok();
}

// The model and the private count of its mistakes. The count sees the model's
// answers, so the model's delta counts e^epsilon(count) times
// (public_mistakes.md, step 4).
Spend WithMistakes(const Guarantee& model, const ApproximateDp& mistakes) {
  const double factor = InflateUp(std::exp(mistakes.epsilon), 1e-14);
  const double delta = UpMul(model.delta(), factor);
  std::vector<Spend> parts;
  if (!model.spend().name.empty()) parts.push_back(model.spend());
  return AddParts("session", {ComposeParts("model", {model.epsilon(), delta},
                                           std::move(parts)),
                              MakePart("public count of mistakes", mistakes)});
}

}  // namespace

Session::Session(const OnlineModelEntry& entry, Settings settings,
                 InputSpec inputs, BudgetSplit split, NoiseHistory history,
                 const Key& names, const Key& tickets)
    : entry_(&entry),
      settings_(std::move(settings)),
      inputs_(std::move(inputs)),
      split_(split),
      history_(std::move(history)),
      name_key_(names),
      ledger_(name_key_, settings_.GetInt("rounds-per-user")),
      delayed_(settings_.GetInt("label-delay")),
      ticketed_(settings_.GetInt("ticket-rounds"), inputs_.label),
      ticket_key_(tickets) {}

Session::~Session() = default;

OptionTable Session::Options(const OnlineModelEntry& entry) {
  return ConcatOptions(
      {PrivacyOptions(), StreamOptions(), entry.options, SessionOptions()});
}

Result<std::unique_ptr<Session>> Session::Create(const OnlineModelEntry& entry,
                                                 Settings settings,
                                                 InputSpec inputs,
                                                 const Key& root, bool seeded) {
  SOTTO_TRY(CheckOptions(entry, settings));
  SOTTO_TRY(CheckLabels(entry, inputs));
  SOTTO_TRY_ASSIGN(const auto split, SplitBudget(settings, inputs.label));
  std::unique_ptr<Session> session(
      new Session(entry, std::move(settings), std::move(inputs), split,
                  NoiseHistory(root, root), root, root));
  session->DeriveKeys(root);
  session->seeded_ = seeded;
  SOTTO_TRY_ASSIGN(auto model,
                   entry.create({session->settings_, session->inputs_,
                                 session->split_.model}));
  SOTTO_TRY(session->Finish(std::move(model)));
  if (split.mistakes) {
    SOTTO_TRY_ASSIGN(auto counted,
                     PublicMistakes::Create(
                         *split.mistakes, session->settings_.GetInt("horizon"),
                         root.Derive("mistakes-v1", entry.name, {})));
    session->public_mistakes_ =
        std::make_unique<PublicMistakes>(std::move(counted));
  }
  return session;
}

// Keys for each use, so that no two share a stream.
void Session::DeriveKeys(const Key& root) {
  const std::string_view name = entry_->name;
  history_ = NoiseHistory(root.Derive("noise-v1", name, {}),
                          root.Derive("hash-v1", name, {}));
  name_key_ = root.Derive("names-v1", name, {});
  ticket_key_ = root.Derive("tickets-v1", name, {});
  MakeLedger();
  if (entry_->needs_training_set)
    train_key_ = root.Derive("train-v1", name, {});
}

void Session::MakeLedger() {
  const bool one_phase = model_ != nullptr && model_->users_in_one_phase();
  ledger_ =
      UserLedger(name_key_, settings_.GetInt("rounds-per-user"), one_phase);
}

Status Session::Rekey(const Key& root) {
  const bool used =
      use_ != Use::kNone || history_.rounds() > 0 ||
      (entry_->needs_training_set && (!train_key_ || training_failed_));
  if (used || public_mistakes_) {
    return FailedPrecondition("a session that was used keeps its key");
  }
  DeriveKeys(root);
  return Ok();
}

void Session::Rotate(const Key& fresh) {
  const Key history = history_.place().key;
  const std::span<const std::byte> so_far(history.bytes());
  history_.Rotate(fresh.Derive("rotate-v1", "noise", {so_far}),
                  fresh.Derive("rotate-v1", "hash", {so_far}));
  ticket_key_ = fresh.Derive("rotate-v1", "tickets", {so_far});
}

Status Session::Finish(std::unique_ptr<OnlineModel> model) {
  model_ = std::move(model);
  MakeLedger();
  SOTTO_TRY(CheckNeighbours(model_->guarantee(), settings_));
  SOTTO_TRY(CheckPromise(model_->guarantee(), split_));
  Guarantee::Params promise = model_->guarantee().params();
  if (split_.mistakes) {
    // An everlasting promise is one of challenge-DP with the sum of its deltas
    // (public_mistakes.md); the count has but one delta.
    if (promise.schedule) promise.notion = Notion::kChallengeDp;
    promise.schedule.reset();
    promise.spend = WithMistakes(model_->guarantee(), *split_.mistakes);
    SOTTO_TRY_ASSIGN(auto whole,
                     MakeGuarantee(std::move(promise), split_.whole));
    guarantee_ = std::move(whole);
  } else {
    guarantee_ = model_->guarantee();
  }
  SOTTO_TRY(CheckThreshold(*entry_, settings_, inputs_.label));
  if (!settings_.Flag("compare")) return Ok();
  if (entry_->plain == nullptr) {
    return InvalidArgument("--compare is not available for " +
                           std::string(entry_->name));
  }
  auto plain = entry_->plain({settings_, inputs_, split_.model});
  if (!plain) return InvalidArgument("--compare: " + plain.error().message);
  comparison_.emplace(*std::move(plain), settings_.GetInt("label-delay"),
                      entry_->needs_training_set
                          ? Comparison::Lessons::kTrainingSet
                          : Comparison::Lessons::kStream);
  return Ok();
}

Status Session::Train(const RoundSource& rows) {
  if (!entry_->needs_training_set || !train_key_) {
    return FailedPrecondition(std::string(entry_->name) +
                              (entry_->needs_training_set
                                   ? " has had its labelled set"
                                   : " starts from nothing"));
  }
  if (training_failed_) return CheckTrained();
  ChaChaRng rng(*train_key_);
  const auto admitted = [&](Round& round) -> Result<bool> {
    // Nothing of one row may become part of the next.
    round.Clear();
    auto more = rows(round);
    if (more && *more) Admit(round);
    if (comparison_ && more && *more) comparison_->Train(round);
    return more;
  };
  // Rows that were taught must not be taught again.
  training_failed_ = true;
  SOTTO_TRY(model_->Train(admitted, rng));
  train_key_.reset();
  if (comparison_) comparison_->FinishTraining();
  return Ok();
}

Status Session::CheckTrained() const {
  if (!train_key_) return Ok();
  return FailedPrecondition(std::string(entry_->name) +
                            (training_failed_
                                 ? " failed on its labelled set"
                                 : " needs its labelled set first"));
}

std::size_t Session::preferred_batch_size() const {
  if (settings_.GetInt("label-delay") > 0) return 1;
  return std::clamp<std::size_t>(model_->preferred_batch_size(), 1,
                                 kLargestBatch);
}

bool Session::Usable(const Round& round) const {
  if (round.user.size() > kMaxUserBytes) return false;
  std::uint64_t next = 0;
  for (const Feature& feature : round.x) {
    if (feature.index < next || feature.index >= inputs_.features ||
        !std::isfinite(feature.value)) {
      return false;
    }
    next = std::uint64_t{feature.index} + 1;
  }
  return !round.y || inputs_.label.Has(*round.y);
}

// Step 2 of session.md: a named round is charged whatever it holds.
void Session::Admit(Round& round) {
  if (round.present() && !Usable(round)) round.presence = Presence::kUnusable;
  const bool admitted = ledger_.Admit(round.user, model_->phase());
  if (round.present() && !admitted) {
    round.presence = Presence::kRefused;
    AnswerFromPublished(round);
  }
  if (round.present()) return;
  round.x.clear();
  // The operator counts mistakes of answers; nothing else looks at this label.
  if (!round.prediction) round.y.reset();
}

// Step 9 of session.md.
void Session::AnswerFromPublished(Round& round) const {
  const auto answer = model_->PredictPublished(round.x);
  if (!answer) return;
  round.prediction = answer->prediction;
  round.probability = answer->probability;
  ApplyThreshold(settings_, std::span(&round, 1));
}

Result<std::unique_ptr<OpenRound>> Session::PlayEmptyRound(Round& round) {
  Admit(round);
  // Set for both kinds of rounds alike: when a phase ended is public.
  round.phase = model_->phase();
  Rng& rng = history_.Begin(round);
  if (!round.present()) {
    SOTTO_TRY_ASSIGN(const auto paid, model_->PlayEmptyRound(rng));
    round.paid = paid;
    return std::unique_ptr<OpenRound>();
  }
  SOTTO_TRY_ASSIGN(auto opened, model_->Open(round.x, round.user, rng));
  round.prediction = opened.prediction;
  round.probability = opened.probability;
  round.paid = opened.paid;
  ApplyThreshold(settings_, std::span(&round, 1));
  return std::move(opened.open);
}

Result<std::size_t> Session::Play(std::span<Round> rounds) {
  SOTTO_TRY(CheckTrained());
  if (!rounds.empty()) use_ = Use::kRows;
  for (Round& round : rounds) round.ForgetAnswer();
  std::size_t done = 0;
  while (done < rounds.size() && !halted()) {
    const auto rest = rounds.subspan(done);
    const auto end = std::ranges::find_if_not(rest, Plain) - rest.begin();
    if (end == 0 || settings_.GetInt("label-delay") > 0) {
      SOTTO_TRY(PlayOne(rest.front()));
      ++done;
      NotifyPhaseChange();
      continue;
    }
    SOTTO_TRY_ASSIGN(const auto played,
                     PlayMany(rest.first(static_cast<std::size_t>(end))));
    done += played;
    NotifyPhaseChange();
  }
  if (halted()) stats_.Halt();
  return done;
}

Status Session::PlayOne(Round& round) {
  SOTTO_TRY_ASSIGN(auto open, PlayEmptyRound(round));
  const bool taught = open != nullptr;
  delayed_.Push({history_.rounds(), std::move(open),
                 taught ? round.y : std::nullopt,
                 round.prediction.value_or(Label()), round.probability});
  Record(round);
  auto due = delayed_.Due();
  if (!due || due->open == nullptr || !due->label) return Ok();
  const Label y = *due->label;
  return Teach(*std::move(due), y);
}

Result<std::size_t> Session::PlayMany(std::span<Round> rounds) {
  // A row that cannot be used plays alone, as an empty round.
  const auto end = std::ranges::find_if_not(
                       rounds, [this](const Round& r) { return Usable(r); }) -
                   rounds.begin();
  if (end == 0) {
    SOTTO_TRY(PlayOne(rounds.front()));
    return std::size_t{1};
  }
  SOTTO_TRY_ASSIGN(
      const auto played,
      model_->Play(rounds.first(static_cast<std::size_t>(end)), history_));
  ApplyThreshold(settings_, rounds.first(played));
  for (const Round& round : rounds.first(played)) Record(round);
  return played;
}

Status Session::CheckTickets() const {
  if (settings_.Flag("public") || settings_.GetInt("label-delay") > 0) {
    return FailedPrecondition(
        "with labels by ticket (--live) there is no --public or "
        "--label-delay: they are about labels that come with their rows");
  }
  return Ok();
}

Result<std::optional<std::string>> Session::Open(
    Round& round, const OnlineModel::PublicAnswer* answered) {
  SOTTO_TRY(CheckTickets());
  SOTTO_TRY(CheckTrained());
  use_ = Use::kTickets;
  if (halted()) {
    return FailedPrecondition("the model has halted: its budget is used up");
  }
  round.ForgetAnswer();
  round.y.reset();
  SOTTO_TRY_ASSIGN(auto open, PlayEmptyRound(round));
  if (answered != nullptr && round.prediction) {
    round.prediction = answered->prediction;
    round.probability = answered->probability;
  }
  Record(round);
  if (halted()) stats_.Halt();
  NotifyPhaseChange();
  ticketed_.Expire(history_.rounds());
  if (open == nullptr) return std::optional<std::string>();
  // Depends on this history alone: after a roll-back, another user in the same
  // place gets another ticket.
  std::string ticket =
      MakeTicket(ticket_key_, history_.rounds(), history_.place().key);
  if (comparison_) {
    comparison_->Open(ticket, round.x, history_.rounds(),
                      settings_.GetInt("ticket-rounds"));
  }
  ticketed_.Keep(ticket, {history_.rounds(), std::move(open), std::nullopt,
                          *round.prediction, round.probability});
  return std::optional(std::move(ticket));
}

Result<TicketedRounds::Outcome> Session::Close(std::string_view ticket,
                                               const Label& y) {
  if (!inputs_.label.Has(y)) return TicketedRounds::Outcome::kRefused;
  ticketed_.Expire(history_.rounds());
  auto answer = ticketed_.Take(ticket, y);
  if (answer.outcome != TicketedRounds::Outcome::kTaken) return answer.outcome;
  SOTTO_TRY_ASSIGN(auto round, answer.round.Unpack(*model_, inputs_.label));
  stats_.AddDelayedLabel(round.prediction, round.probability, y, inputs_.label);
  if (comparison_) comparison_->Close(ticket, y);
  SOTTO_TRY(Teach(std::move(round), y));
  return answer.outcome;
}

TicketedRounds::Outcome Session::LookAtLabel(std::string_view ticket,
                                             const Label& y) const {
  if (!inputs_.label.Has(y)) return TicketedRounds::Outcome::kRefused;
  return ticketed_.Look(ticket, y);
}

Status Session::Teach(PendingRound round, const Label& y) {
  history_.AddLabel(round.number, y);
  // A model that has halted answers no one and learns no more.
  if (halted()) return Ok();
  Status closed = model_->Close(std::move(round.open), y);
  if (halted()) stats_.Halt();
  return closed;
}

void Session::Record(const Round& round) {
  const std::int64_t shown =
      public_mistakes_ ? public_mistakes_->Add(IsMistake(round)) : 0;
  stats_.Add(round, inputs_.label, shown);
  if (comparison_) comparison_->Play(round);
  if (watcher_) watcher_(round);
}

void Session::NotifyPhaseChange() {
  if (!phase_watcher_ || phase() == watched_phase_) return;
  watched_phase_ = phase();
  phase_watcher_();
}

std::optional<Json> Session::Hypothesis() const {
  auto learned = model_->hypothesis();
  if (!learned) return std::nullopt;
  Json json = Json::Object{{"model", entry_->name}};
  if (learned->object() != nullptr) {
    for (const auto& [name, value] : *learned->object()) json[name] = value;
  }
  // The session writes what only it knows, not the model.
  json["model"] = entry_->name;
  json["rounds"] = rounds();
  json["releases"] = phase();
  json["guarantee"] = ToJson(guarantee());
  json["private"] = !seeded_;
  return json;
}

}  // namespace sotto
