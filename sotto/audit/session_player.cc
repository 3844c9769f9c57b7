#include "sotto/audit/session_player.h"

#include <array>
#include <cmath>
#include <limits>

#include "sotto/audit/exec/input_fields.h"
#include "sotto/audit/exec/program_adversary.h"
#include "sotto/audit/forked_game.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"

namespace sotto {
namespace {

constexpr double kThousandths = 1000;
constexpr std::size_t kMostNumbers = 64;
constexpr std::int64_t kPhase = 2000;  // above every probability

Round MakeRound(const SessionInput& input) {
  Round round;
  if (input.kind == SessionInput::Kind::kAbsent) {
    round.presence = Presence::kAbsent;
    return round;
  }
  const bool usable = input.kind == SessionInput::Kind::kPresent;
  round.x = {{0, usable ? input.x : std::numeric_limits<double>::infinity()}};
  return round;
}

bool GetLabel(const SessionInput& input, bool prediction) {
  if (input.reply == SessionInput::Reply::kOpposite) return !prediction;
  return input.reply == SessionInput::Reply::kOne;
}

}  // namespace

Result<std::int64_t> SessionPlayer::Step(const SessionInput& input, Rng&) {
  ++round_;
  if (round_ <= clock_.training) {
    rows_.push_back(input);
    if (round_ < clock_.training) return 0;
    SOTTO_TRY(Train());
    return 0;
  }
  if (round_ > clock_.published) return Published(round_ - clock_.published);
  SOTTO_TRY(CloseDue());
  // A halted session answers every user in the same way.
  if (session_.halted()) return -1;
  return Play(input);
}

Result<std::int64_t> SessionPlayer::Play(const SessionInput& input) {
  Round round = MakeRound(input);
  const auto phase = static_cast<std::int64_t>(session_.phase());
  SOTTO_TRY_ASSIGN(const auto ticket, session_.Open(round));
  const bool prediction = round.prediction && round.prediction->positive();
  if (ticket && input.reply != SessionInput::Reply::kNever) {
    waiting_.push_back(
        {round_ + input.delay, *ticket, GetLabel(input, prediction)});
    if (input.delay == 0) {
      SOTTO_TRY(CloseDue());
    }
  }
  const double shown = round.probability.value_or(prediction ? 1 : 0);
  return std::llround(shown * kThousandths) + kPhase * phase;
}

Status SessionPlayer::Train() {
  std::size_t next = 0;
  return session_.Train([&](Round& round) -> Result<bool> {
    if (next == rows_.size()) return false;
    const SessionInput& row = rows_[next++];
    round = MakeRound(row);
    if (round.present() && row.reply != SessionInput::Reply::kNever) {
      // The answer that is opposed is the wrong one.
      round.y = Label(GetLabel(row, row.x < 0.5));
    }
    return true;
  });
}

Status SessionPlayer::CloseDue() {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].round > round_) {
      ++i;
      continue;
    }
    const Due due = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    SOTTO_TRY(session_.Close(due.ticket, Label(due.label)));
  }
  return Ok();
}

std::int64_t SessionPlayer::Published(std::uint64_t index) {
  if (index == 1) {
    const auto published = session_.Hypothesis();
    if (published) numbers_ = PublishedNumbers(*published, kMostNumbers);
  }
  return index > numbers_.size() ? 0 : numbers_[index - 1];
}

Status ReadInput(const Json& json, SessionInput& input) {
  using Kind = SessionInput::Kind;
  using Reply = SessionInput::Reply;
  InputFields fields(json);
  input = {.x = fields.Number("x")};
  if (fields.Flag("absent")) input.kind = Kind::kAbsent;
  if (fields.Flag("unusable")) input.kind = Kind::kUnusable;
  if (const auto word = fields.Text("y")) {
    if (*word != "opposite") {
      return InvalidArgument("the move has the label \"" + *word +
                             "\"; expected 0, 1 or \"opposite\"");
    }
    input.reply = Reply::kOpposite;
  } else if (const auto label = fields.Label("y")) {
    input.reply = *label ? Reply::kOne : Reply::kZero;
  }
  input.delay = static_cast<std::uint32_t>(
      fields.GetInt("delay", 0, std::numeric_limits<std::int32_t>::max()));
  return fields.Done();
}

std::optional<Move<SessionInput>> OneUser::Next(const View& view) const {
  if (view.rounds() == lead) return Challenge(zero, one);
  SessionInput other = others;
  other.x = view.rounds() % 2 == 0 ? 1 : 0;
  if (follows && !view.seen.empty() && view.seen.back() != View::kHidden) {
    other.x = 2 * (view.seen.back() % kPhase) >= kPhase / 2 ? 1 : 0;
  }
  return Same(other);
}

std::vector<OneUser> UsersOfOneRound(const std::vector<std::uint64_t>& leads) {
  using Kind = SessionInput::Kind;
  using Reply = SessionInput::Reply;
  const SessionInput one{.x = 1, .reply = Reply::kOne};
  const SessionInput other{.x = 1, .reply = Reply::kZero};
  const SessionInput elsewhere{.x = 0, .reply = Reply::kOne};
  const SessionInput never{.x = 1};
  const SessionInput late{.x = 1, .reply = Reply::kOne, .delay = 5};
  const SessionInput absent{.kind = Kind::kAbsent};
  const SessionInput unusable{.kind = Kind::kUnusable};
  std::vector<OneUser> variants;
  for (const std::uint64_t lead : leads) {
    for (const SessionInput& instead :
         {other, elsewhere, never, late, absent, unusable}) {
      // Three kinds of others in turn, so that all are played with some pair.
      const std::size_t i = variants.size();
      const SessionInput others{
          .x = 0,
          .reply =
              std::array{Reply::kOpposite, Reply::kNever, Reply::kOne}[i % 3]};
      variants.push_back({.lead = lead,
                          .others = others,
                          .zero = one,
                          .one = instead,
                          .follows = i % 2 == 1});
    }
  }
  return variants;
}

namespace {

// In a copy of this process.
template <typename Adversary>
Status PlaySession(Session& session, const SessionPlayer::Clock& clock,
                   std::uint64_t rounds, bool world, Adversary& adversary,
                   Rng& rng, View& view) {
  // Drawn here: the copy's draws are not ours.
  const Key key = RandomKey(rng);
  const auto play = [&](View& seen) -> Status {
    SOTTO_TRY(session.Rekey(key));
    SessionPlayer player(session, clock);
    return PlayGame<SessionInput>(game::Online{.rounds = rounds}, world, player,
                                  adversary, rng, seen);
  };
  return PlayForked(play, view);
}

class ProgramSessionPair final : public GamePair {
 public:
  ProgramSessionPair(std::shared_ptr<Session> session, std::uint64_t rounds,
                     SessionPlayer::Clock clock, ProgramOpponent adversary)
      : session_(std::move(session)),
        rounds_(rounds),
        clock_(clock),
        opponent_(std::move(adversary)) {}

  std::size_t variants() const override { return 1; }
  Status Play(std::size_t, bool world, Rng& rng, View& view) const override {
    ProgramAdversary<SessionInput> adversary(opponent_);
    adversary.Begin(rounds_, rng.Next());
    return PlaySession(*session_, clock_, rounds_, world, adversary, rng, view);
  }

 private:
  std::shared_ptr<Session> session_;
  std::uint64_t rounds_;
  SessionPlayer::Clock clock_;
  ProgramOpponent opponent_;
};

}  // namespace

Status SessionGamePair::Play(std::size_t variant, bool world, Rng& rng,
                             View& view) const {
  OneUser adversary = adversaries_[variant];
  return PlaySession(*session_, clock_, rounds_, world, adversary, rng, view);
}

std::unique_ptr<GamePair> SessionGamePair::WithProgram(
    const ProgramOpponent& adversary) const {
  return std::make_unique<ProgramSessionPair>(session_, rounds_, clock_,
                                              adversary);
}

}  // namespace sotto
