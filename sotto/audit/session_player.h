#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/online/session.h"

namespace sotto {

// The input of a user of a session: one number, a bad row, or an absent user;
// with a label at once, after some rounds or never. "Opposite" is the label
// that was not predicted.
struct SessionInput {
  enum class Kind : std::uint8_t { kPresent, kAbsent, kUnusable };
  enum class Reply : std::uint8_t { kNever, kZero, kOne, kOpposite };
  Kind kind = Kind::kPresent;
  double x = 0;
  Reply reply = Reply::kNever;
  std::uint32_t delay = 0;  // rounds until the label arrives
  friend bool operator==(const SessionInput&, const SessionInput&) = default;
};

// A session of any model of the registry as the player of OnlineGame (with
// replies: GeneralGame). The answer of a round is the view of its user: the
// prediction, with its probability if there is one, and the phase. For a model
// with a training set the first rounds are its rows; they show nothing. The
// last rounds of a game, from `clock` on, have no user: each shows one number
// of the publication.
//
// Threads: not thread-safe.
class SessionPlayer {
 public:
  struct Clock {
    std::uint64_t training = 0;   // rows of the training set
    std::uint64_t published = 0;  // rounds before the numbers are shown
  };
  SessionPlayer(Session& session, const Clock& clock)
      : session_(session), clock_(clock) {}

  Result<std::int64_t> Step(const SessionInput& input, Rng&);
  bool halted() const { return false; }

 private:
  struct Due {
    std::uint64_t round = 0;
    std::string ticket;
    bool label = false;
  };

  Status Train();
  Status CloseDue();
  std::int64_t Published(std::uint64_t index);
  Result<std::int64_t> Play(const SessionInput& input);

  Session& session_;
  Clock clock_;
  std::uint64_t round_ = 0;
  std::vector<SessionInput> rows_;
  std::vector<Due> waiting_;
  std::vector<std::int64_t> numbers_;
};

// One user among many. `lead` others come before, then the protected one in one
// of two versions, then others who ask and reply, at two places in turn or,
// adaptively, where the last answer was 1.
struct OneUser {
  std::uint64_t lead = 0;
  SessionInput others = {};
  SessionInput zero = {};
  SessionInput one = {};
  bool follows = false;

  std::optional<Move<SessionInput>> Next(const View& view) const;
};

// Differences of a user's two versions: the row, its presence, its validity,
// the label, the time of the label. `lead`s: rounds before it.
std::vector<OneUser> UsersOfOneRound(const std::vector<std::uint64_t>& leads);

// {"x":0.5,"y":1,"delay":3}, or without "y" for a user without a label; "y" may
// be "opposite". {"absent":true} or {"unusable":true} replaces "x".
Status ReadInput(const Json& json, SessionInput& input);

// Games against copies of one session, each with its own key.
class SessionGamePair final : public GamePair {
 public:
  SessionGamePair(std::shared_ptr<Session> session, std::uint64_t rounds,
                  SessionPlayer::Clock clock, std::vector<OneUser> adversaries)
      : session_(std::move(session)),
        rounds_(rounds),
        clock_(clock),
        adversaries_(std::move(adversaries)) {}

  std::size_t variants() const override { return adversaries_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override;
  std::unique_ptr<GamePair> WithProgram(
      const ProgramOpponent& adversary) const override;

 private:
  std::shared_ptr<Session> session_;
  std::uint64_t rounds_;
  SessionPlayer::Clock clock_;
  std::vector<OneUser> adversaries_;
};

}  // namespace sotto
