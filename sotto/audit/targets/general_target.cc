// GeneralGame: users who exchange several messages with a session, one of whom
// is protected with all of them.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sotto/audit/conversation.h"
#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/targets.h"
#include "sotto/models/registry/registry.h"

namespace sotto {
namespace {

constexpr const char* kAdversary = "conversation";
// A model that publishes, one that answers by a vote, one that answers
// only users who bring a point.
constexpr std::array kModels = {"leader", "pop", "points"};
constexpr std::uint64_t kUsers = 12;
constexpr std::uint64_t kCost = 50;

Status AddModel(const OnlineModelEntry& entry, const AuditRequest& request,
                AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(auto settings, SmallSettings(Session::Options(entry),
                                                entry.example, request));
  SOTTO_TRY(
      settings.Set("rounds-per-user", std::to_string(SessionDesk::kVisits)));
  InputSpec inputs{.features = 1, .dense = 1, .print = "audit"};
  inputs.names = {"x"};
  SOTTO_TRY_ASSIGN(auto session,
                   Session::Create(entry, std::move(settings),
                                   std::move(inputs), KnownKey(), true));
  const Guarantee& guarantee = session->guarantee();
  const ApproximateDp claim{guarantee.epsilon(), guarantee.delta()};
  subject.cases.push_back(
      {kAdversary, std::string(entry.name), claim,
       std::make_unique<ConversationPair>(
           std::move(session), request.rounds == 0 ? kUsers : request.rounds,
           AllConversations()),
       kCost});
  return Ok();
}

Result<AuditSubject> GeneralSubject(const AuditRequest& request) {
  AuditSubject subject{"general", {}};
  for (const char* name : kModels) {
    SOTTO_TRY(AddModel(*FindOnlineModel(name), request, subject));
  }
  return subject;
}

}  // namespace

AuditTarget GeneralTarget() {
  return {"general",
          "sessions with users who ask twice and tell labels, at once, late, "
          "again or never; --rounds is the number of users",
          "GeneralGame",
          {kAdversary},
          GeneralSubject};
}

}  // namespace sotto
