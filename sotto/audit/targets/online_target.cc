// Any model of the registry, as a session of few rounds: OnlineGame, with one
// user in two versions.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/session_player.h"
#include "sotto/audit/targets.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

constexpr std::string_view kOneUser = "one-user";
constexpr std::uint64_t kTraining = 24;  // rows of a training set
constexpr std::uint64_t kRounds = 32;
constexpr std::uint64_t kCost = 50;
constexpr std::uint64_t kPublished = 8;  // published numbers

InputSpec OneNumber(const OnlineModelEntry& entry) {
  InputSpec inputs{.features = 1, .dense = 1, .print = "audit"};
  inputs.names = {"x"};
  inputs.label.kind = entry.labels.front();
  if (inputs.label.kind == LabelType::Kind::kClasses) {
    inputs.label.names = {"0", "1"};
  }
  return inputs;
}

// In the training set, at once and after some others.
std::vector<std::uint64_t> Leads(const OnlineModelEntry& entry) {
  if (entry.needs_training_set) return {kTraining / 2, kTraining + 1};
  return {0, 5};
}

Status AddSession(const OnlineModelEntry& entry, const AuditRequest& request,
                  AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(auto settings, SmallSettings(Session::Options(entry),
                                                entry.example, request));
  SOTTO_TRY_ASSIGN(auto made,
                   Session::Create(entry, std::move(settings), OneNumber(entry),
                                   KnownKey(), true));
  const std::shared_ptr<Session> session = std::move(made);
  const SessionPlayer::Clock clock{
      .training = entry.needs_training_set ? kTraining : 0,
      .published = (entry.needs_training_set ? kTraining : 0) +
                   (request.rounds == 0 ? kRounds : request.rounds)};
  const auto add = [&](const std::string& name, double delta,
                       const std::vector<std::uint64_t>& leads) {
    subject.cases.push_back({std::string(kOneUser),
                             name,
                             {session->guarantee().epsilon(), delta},
                             std::make_unique<SessionGamePair>(
                                 session, clock.published + kPublished, clock,
                                 UsersOfOneRound(leads)),
                             kCost});
  };
  const auto& schedule = session->guarantee().schedule();
  if (!schedule) {
    add("session", session->guarantee().delta(), Leads(entry));
    return Ok();
  }
  // An everlasting guarantee is (epsilon, delta(i)) for round i, where the
  // training set is round 0: a case for each.
  for (const std::uint64_t lead : Leads(entry)) {
    const std::uint64_t round = lead < kTraining ? 0 : lead - kTraining + 1;
    add(round == 0 ? "session, a labelled row"
                   : "session, round " + std::to_string(round),
        schedule->At(round), {lead});
  }
  return Ok();
}

}  // namespace

AuditTarget OnlineTarget(const OnlineModelEntry& entry,
                         const AuditTarget* known) {
  AuditTarget target{std::string(entry.name), entry.help, "OnlineGame", {}, {}};
  if (known != nullptr) target = *known;
  const std::vector<std::string_view> others = target.adversaries;
  target.adversaries.push_back(kOneUser);
  target.make = [&entry, others, more = target.make](
                    const AuditRequest& request) -> Result<AuditSubject> {
    AuditSubject subject{std::string(entry.name), {}};
    const bool sessions = request.adversary == kOneUser;
    if (more && !sessions) {
      auto known_cases = more(request);
      if (!known_cases) return known_cases;
      subject = *std::move(known_cases);
    }
    if (std::ranges::find(others, request.adversary) != others.end()) {
      return subject;
    }
    SOTTO_TRY(AddSession(entry, request, subject));
    return subject;
  };
  return target;
}

}  // namespace sotto
