#include "sotto/audit/conversation.h"

#include <cmath>
#include <limits>
#include <optional>

#include "sotto/audit/forked_game.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/random_key.h"

namespace sotto {
namespace {

constexpr double kThousandths = 1000;
constexpr std::int64_t kPhase = 2000;  // above every probability
constexpr std::int64_t kBefore = 3;    // weight of an earlier reply

// The replies of one conversation.
struct Talk {
  SessionDesk& desk;
  SessionDesk::Reply first = {};
  SessionDesk::Reply last = {};
  bool begun = false;

  Result<std::int64_t> Say(char message) {
    switch (message) {
      case 'y':
        return desk.Tell(last, true);
      case 'n':
        return desk.Tell(last, false);
      case 'o':
        return desk.Tell(last, !last.prediction);
      case 'f':
        return desk.Tell(first, true);
      default:
        return Visit(message);
    }
  }
  Result<std::int64_t> Visit(char message) {
    constexpr double kBad = std::numeric_limits<double>::infinity();
    const double x = message == 'x' ? kBad : message == 'a' ? 1 : 0;
    auto reply = message == '-' ? desk.Pass() : desk.Ask(x);
    if (!reply) return reply.error();
    last = *std::move(reply);
    if (!begun) first = last;
    begun = true;
    return last.answer;
  }
};

}  // namespace

Result<SessionDesk::Reply> SessionDesk::Ask(double x) {
  Round round;
  round.user = std::to_string(user_);
  round.x = {{0, x}};
  return Play(round);
}

Result<SessionDesk::Reply> SessionDesk::Pass() {
  Round round;
  round.presence = Presence::kAbsent;
  return Play(round);
}

Result<SessionDesk::Reply> SessionDesk::Play(Round& round) {
  // A halted session answers every user in the same way.
  if (session_.halted()) return Reply{.answer = -1};
  const auto phase = static_cast<std::int64_t>(session_.phase());
  SOTTO_TRY_ASSIGN(const auto ticket, session_.Open(round));
  const bool prediction = round.prediction && round.prediction->positive();
  const double shown = round.probability.value_or(prediction ? 1 : 0);
  return Reply{.answer = std::llround(shown * kThousandths) + kPhase * phase,
               .prediction = prediction,
               .ticket = ticket.value_or("")};
}

Result<std::int64_t> SessionDesk::Tell(const Reply& reply, bool label) {
  if (reply.ticket.empty()) return 0;
  SOTTO_TRY_ASSIGN(const auto outcome,
                   session_.Close(reply.ticket, Label(label)));
  return outcome == TicketedRounds::Outcome::kTaken ? 1 : 0;
}

Interaction<SessionDesk> MakeConversation(std::string script) {
  return [script = std::move(script)](SessionDesk& desk,
                                      Rng&) -> Result<std::int64_t> {
    desk.Welcome();
    Talk talk{desk};
    std::int64_t view = 0;
    for (const char message : script) {
      SOTTO_TRY_ASSIGN(const std::int64_t reply, talk.Say(message));
      view = kBefore * view + reply;
    }
    return view;
  };
}

std::vector<Conversations> AllConversations() {
  std::vector<Conversations> variants;
  for (const std::uint64_t lead : {0u, 3u}) {
    // The protected user says "a y a y" or something else.
    for (const char* instead :
         {"anan", "byby", "aa", "aaf", "ayyx", "aoao", "x-", "--"}) {
      const char* others = variants.size() % 2 == 0 ? "aobo" : "ab";
      variants.push_back({lead, others, "ayay", instead});
    }
  }
  return variants;
}

namespace {

struct Users {
  std::uint64_t lead;
  const Interaction<SessionDesk>& others;
  const Interaction<SessionDesk>& zero;
  const Interaction<SessionDesk>& one;

  std::optional<Move<const Interaction<SessionDesk>*>> Next(
      const View& view) const {
    if (view.rounds() == lead) return Challenge(&zero, &one);
    return Same(&others);
  }
};

}  // namespace

Status ConversationPair::Play(std::size_t variant, bool world, Rng& rng,
                              View& view) const {
  const Conversations& said = variants_[variant];
  // Drawn here: the copy's draws are not ours.
  const Key key = RandomKey(rng);
  const auto play = [&](View& seen) -> Status {
    SOTTO_TRY(session_->Rekey(key));
    SessionDesk desk(*session_);
    GeneralPlayer<SessionDesk> player(desk);
    const auto others = MakeConversation(said.others);
    const auto zero = MakeConversation(said.zero);
    const auto one = MakeConversation(said.one);
    Users users{said.lead, others, zero, one};
    return PlayGame<const Interaction<SessionDesk>*>(
        game::Online{.rounds = users_}, world, player, users, rng, seen);
  };
  return PlayForked(play, view);
}

}  // namespace sotto
