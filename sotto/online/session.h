#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/base/settings.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/comparison.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/noise_history.h"
#include "sotto/online/online_model.h"
#include "sotto/online/open_rounds.h"
#include "sotto/online/run_stats.h"
#include "sotto/online/ticket.h"
#include "sotto/online/user_ledger.h"
#include "sotto/random/key.h"

namespace sotto {

class PublicMistakes;

// A model at work: users come one at a time, each round advances the public
// clock, labels arrive later or never. It does everything that is the same for
// all models: admission, noise, tickets and delayed labels, counts, saving.
//
//   auto session = Session::Create(entry, settings, inputs, *Key::Generate());
//   if (!session) return session.error();
//   Round round{.x = features, .user = "u17"};
//   auto ticket = (*session)->Open(round);        // round.prediction
//   (*session)->Close(*ticket, label);            // later, or never
//
// It speaks in rounds and tickets and knows nothing of files or terminals.
//
// Guarantee: guarantee(), for everything that is not marked as its own user's
//            or the operator's.
// Proof:     session.md, next to this file.
// Threads:   not thread-safe.
class Session {
 public:
  // All options of a session of this model: privacy, stream, model, session.
  static OptionTable Options(const OnlineModelEntry& entry);

  // `settings` have at least the options of Options(entry). Fails with
  // kInvalidArgument for settings without them and for labels the model does
  // not accept, with kBudgetExhausted if the model's promise is weaker than the
  // settings ask for, and as the entry's `create` does. `seeded`: the key is
  // known, nothing is private.
  static Result<std::unique_ptr<Session>> Create(const OnlineModelEntry& entry,
                                                 Settings settings,
                                                 InputSpec inputs,
                                                 const Key& root,
                                                 bool seeded = false);

  ~Session();

  // Replaces the root key, for callers that need many sessions that are alike:
  // planning takes longer than playing. Fails with kFailedPrecondition once
  // something was trained or played.
  Status Rekey(const Key& root);

  // Continues with noise and tickets that depend on the fresh key and on the
  // history so far: what was known of the old key tells nothing of them. The
  // key of names stays, and open tickets stay valid.
  void Rotate(const Key& fresh);

  // Hands a model whose entry has needs_training_set the rows of its training
  // set, once, before the first round. A row takes a round of its user, if it
  // has a name, and one that cannot be used is an empty place. Fails as `rows`
  // does, and then the session is not to be used; with kFailedPrecondition for
  // a model that takes none or was already trained.
  Status Train(const RoundSource& rows);

  // Plays rounds of which all is known: predicts, and teaches the label after
  // --label-delay further rounds. Fills in the answers, and empties rounds that
  // cannot be used or are refused. A user over the limit still gets a
  // prediction if the model publishes: the round is empty, nothing is learned.
  // Returns how many were played: all, unless the model has halted. Fails as
  // the model does; then the session is not to be used.
  Result<std::size_t> Play(std::span<Round> rounds);
  // Batch size at which Play is fastest.
  std::size_t preferred_batch_size() const;

  // Plays one round and returns its ticket, so that the label can be sent later
  // with Close. Returns no ticket for an empty round, also if it was answered
  // from what is published. Ignores round.y. Fails like Play; fails with
  // kFailedPrecondition after a halt and together with --public or
  // --label-delay. May alternate with Play. `answered`: what the round's user
  // was answered elsewhere, from an earlier hypothesis; if the round has an
  // answer at all, that one is counted, and nothing else changes.
  Result<std::optional<std::string>> Open(
      Round& round, const OnlineModel::PublicAnswer* answered = nullptr);
  // A label. Refused alike: no such ticket, one too old, another label than
  // before, a label of another type. Fails as Play does.
  Result<TicketedRounds::Outcome> Close(std::string_view ticket,
                                        const Label& y);
  // True if the ticket still waits for its label.
  bool TicketIsOpen(std::string_view ticket) const {
    return ticketed_.IsOpen(ticket);
  }
  // True if the ticket was given out for that round by a history that is not
  // this one. Requires a ticket and its number that are known to be genuine.
  bool TicketIsLost(std::string_view ticket, std::uint64_t number) const {
    return ticketed_.IsLost(ticket, number, rounds());
  }
  // The outcome that Close would have. Changes nothing.
  TicketedRounds::Outcome LookAtLabel(std::string_view ticket,
                                      const Label& y) const;
  // Tickets that wait for their labels.
  std::size_t open_tickets() const { return ticketed_.open(); }
  // Drops a ticket that its holder will not use again.
  void Forget(std::string_view ticket) { ticketed_.Forget(ticket); }

  // Called after every round, when it has been counted, in order. The model may
  // then be some rounds further on: ask the round for its phase.
  using Watcher = std::function<void(const Round& round)>;
  void Watch(Watcher watcher) { watcher_ = std::move(watcher); }

  // Called when the phase has changed, between two rounds; a model may have
  // changed it several times since.
  void OnPhaseChange(std::function<void()> watcher) {
    phase_watcher_ = std::move(watcher);
    watched_phase_ = phase();
  }

  // Public at any time.
  const Guarantee& guarantee() const { return *guarantee_; }
  const InputSpec& inputs() const { return inputs_; }
  const Settings& settings() const { return settings_; }
  const OnlineModelEntry& entry() const { return *entry_; }
  bool seeded() const { return seeded_; }
  std::uint64_t rounds() const { return stats_.now.rounds; }
  bool halted() const { return model_->halted(); }
  std::uint64_t phase() const { return model_->phase(); }
  const OnlineModel& model() const { return *model_; }
  // The private count of mistakes, with --public.
  const PublicMistakes* public_mistakes() const {
    return public_mistakes_.get();
  }
  // The published model with guarantee and clock, if the model publishes one.
  std::optional<Json> Hypothesis() const;

  // The operator's own view.
  const RunStats& stats() const { return stats_; }
  // The non-private learner, with --compare.
  const Comparison* comparison() const {
    return comparison_ ? &*comparison_ : nullptr;
  }
  std::optional<double> VoteShare(FeatureView x) {
    return model_->VoteShare(x);
  }

  // The state holds a secret key and data. Fails as the model does.
  Status Save(ByteWriter& writer);
  // The head of a state: model, settings and position. Readable before the
  // stream is opened.
  struct Head {
    std::string model;
    Json settings;
    bool seeded = false;
    std::uint64_t rounds = 0;
  };
  static Result<Head> ReadHead(std::string_view state);
  // Resumes a state as if it had not been saved. `settings` have adopted
  // the head's. Fails with kInvalidArgument if the inputs are encoded in
  // another way than the state's, with kCorruption if it makes no sense, and as
  // the entry's `load` does.
  static Result<std::unique_ptr<Session>> Load(const OnlineModelEntry& entry,
                                               Settings settings,
                                               InputSpec inputs,
                                               std::string_view state);

 private:
  Session(const OnlineModelEntry& entry, Settings settings, InputSpec inputs,
          BudgetSplit split, NoiseHistory history, const Key& names,
          const Key& tickets);

  Status CheckTrained() const;
  void DeriveKeys(const Key& root);
  void MakeLedger();

  Status Finish(std::unique_ptr<OnlineModel> model);
  // How it was used last.
  enum class Use : std::uint8_t { kNone, kRows, kTickets };

  Status CheckTickets() const;
  bool Usable(const Round& round) const;
  // Decides what the round is for the model: charges its user, and empties it
  // if it cannot be used or has no right to be.
  void Admit(Round& round);
  // Answers a user over the limit from the hypothesis before the round, if the
  // model publishes one. The round stays empty.
  void AnswerFromPublished(Round& round) const;
  // Plays one round. Returns its open round, or null for an empty one.
  Result<std::unique_ptr<OpenRound>> PlayEmptyRound(Round& round);
  Status PlayOne(Round& round);
  Result<std::size_t> PlayMany(std::span<Round> rounds);
  Status Teach(PendingRound round, const Label& y);
  void Record(const Round& round);
  void NotifyPhaseChange();
  Status LoadParts(ByteReader& reader);

  const OnlineModelEntry* entry_;
  Settings settings_;
  InputSpec inputs_;
  BudgetSplit split_;
  NoiseHistory history_;
  Key name_key_;  // the same as long as the ledger
  UserLedger ledger_;
  DelayedRounds delayed_;
  TicketedRounds ticketed_;
  Key ticket_key_;
  std::optional<Key> train_key_;  // until the model is trained
  bool training_failed_ = false;  // or is under way, or is done
  std::unique_ptr<OnlineModel> model_;
  std::unique_ptr<PublicMistakes> public_mistakes_;
  std::optional<Comparison> comparison_;
  RunStats stats_;
  std::optional<Guarantee> guarantee_;  // set by Finish
  Watcher watcher_;
  std::function<void()> phase_watcher_;
  std::uint64_t watched_phase_ = 0;
  Use use_ = Use::kNone;
  bool seeded_ = false;
};

}  // namespace sotto
