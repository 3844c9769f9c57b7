#include "sotto/audit/session_player.h"

#include <array>
#include <cmath>
#include <limits>

#include "sotto/audit/forked_game.h"
#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"
#include "sotto/games/game.h"

namespace sotto {
namespace {

constexpr double kThousandths = 1000;
constexpr std::size_t kMostNumbers = 64;
constexpr std::int64_t kPhase = 2000;  // above every probability

Round RoundOf(const SessionInput& input) {
  Round round;
  if (input.kind == SessionInput::Kind::kAbsent) {
    round.presence = Presence::kAbsent;
    return round;
  }
  const bool usable = input.kind == SessionInput::Kind::kPresent;
  round.x = {{0, usable ? input.x : std::numeric_limits<double>::infinity()}};
  return round;
}

bool LabelOf(const SessionInput& input, bool told) {
  if (input.reply == SessionInput::Reply::kOpposite) return !told;
  return input.reply == SessionInput::Reply::kOne;
}

}  // namespace

Result<std::int64_t> SessionPlayer::Step(const SessionInput& input, Rng&) {
  ++round_;
  if (round_ <= clock_.training) {
    rows_.push_back(input);
    if (round_ < clock_.training) return 0;
    if (Status trained = Train(); !trained) return trained.error();
    return 0;
  }
  if (round_ > clock_.published) return Published(round_ - clock_.published);
  if (Status closed = CloseDue(); !closed) return closed.error();
  // Whoever comes to one that has halted is told so, like everybody else.
  if (session_.halted()) return -1;
  return Play(input);
}

Result<std::int64_t> SessionPlayer::Play(const SessionInput& input) {
  Round round = RoundOf(input);
  const auto phase = static_cast<std::int64_t>(session_.phase());
  const auto ticket = session_.Open(round);
  if (!ticket) return ticket.error();
  const bool told = round.told && round.told->positive();
  if (*ticket && input.reply != SessionInput::Reply::kNever) {
    waiting_.push_back({round_ + input.delay, **ticket, LabelOf(input, told)});
    if (input.delay == 0) {
      if (Status closed = CloseDue(); !closed) return closed.error();
    }
  }
  const double shown = round.probability.value_or(told ? 1 : 0);
  return std::llround(shown * kThousandths) + kPhase * phase;
}

Status SessionPlayer::Train() {
  std::size_t next = 0;
  return session_.Train([&](Round& round) -> Result<bool> {
    if (next == rows_.size()) return false;
    const SessionInput& row = rows_[next++];
    round = RoundOf(row);
    if (round.present() && row.reply != SessionInput::Reply::kNever) {
      // The answer that is opposed is the wrong one.
      round.y = Label(LabelOf(row, row.x < 0.5));
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
    const auto closed = session_.Close(due.ticket, Label(due.label));
    if (!closed) return closed.error();
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

Status SessionDuel::Play(std::size_t variant, bool world, Rng& rng,
                         View& view) const {
  // Drawn here: the copy's draws are not ours.
  const Key key = RandomKey(rng);
  const auto play = [&](View& seen) -> Status {
    if (Status fresh = session_->Rekey(key); !fresh) return fresh;
    SessionPlayer player(*session_, clock_);
    OneUser adversary = adversaries_[variant];
    return PlayGame<SessionInput>(game::Online{.rounds = rounds_}, world,
                                  player, adversary, rng, seen);
  };
  return PlayForked(play, view);
}

}  // namespace sotto
