#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/general_game.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/online/session.h"

namespace sotto {

// A session as it talks to users with several messages each. A user has
// kVisits rounds of the session, and takes them or not: the clock is public.
//
// Threads: not thread-safe.
class SessionDesk {
 public:
  static constexpr std::uint64_t kVisits = 2;

  explicit SessionDesk(Session& session) : session_(session) {}

  // A new user. All that follow are messages of this one.
  void Welcome() { ++user_; }
  // An open round: its answer, and its ticket if it waits for a label.
  struct Reply {
    std::int64_t answer = 0;
    bool prediction = false;
    std::string ticket = {};
  };
  // Asks about a number, infinity for a bad row, or lets the round pass.
  Result<Reply> Ask(double x);
  Result<Reply> Pass();
  // 1 if the label was taken, else 0.
  Result<std::int64_t> Tell(const Reply& reply, bool label);

 private:
  Result<Reply> Play(Round& round);

  Session& session_;
  std::uint64_t user_ = 0;
};

// The script of a conversation, one letter a message:
//   a, b  asks about 1, about 0        y, n  tells the last answer's label
//   x     asks about a bad row         o     tells the opposite of that answer
//   -     lets a round pass            f     tells the first answer's label: 1
// The view of the user is a number of all replies. Requires kVisits rounds.
Interaction<SessionDesk> MakeConversation(std::string script);

// [POP] Algorithm 8 as games of an audit, against copies of one session, each
// with its own key: `lead` users who say `others`, then the protected one, who
// says `zero` or `one`, then others again.
struct Conversations {
  std::uint64_t lead = 0;
  std::string others;
  std::string zero;
  std::string one;
};
// Differences in what is said, when, and if anything is said at all.
std::vector<Conversations> AllConversations();

class ConversationPair final : public GamePair {
 public:
  ConversationPair(std::shared_ptr<Session> session, std::uint64_t users,
                   std::vector<Conversations> variants)
      : session_(std::move(session)),
        users_(users),
        variants_(std::move(variants)) {}

  std::size_t variants() const override { return variants_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override;

 private:
  std::shared_ptr<Session> session_;
  std::uint64_t users_;
  std::vector<Conversations> variants_;
};

}  // namespace sotto
