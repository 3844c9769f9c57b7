// Every model of the registry has a target that plays. A session that leaks is
// detected.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "sotto/audit/forked_game.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/session_player.h"
#include "sotto/audit/targets.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

TEST(ModelTargetsTest, EveryModelOfTheRegistryHasATarget) {
  std::set<std::string> names;
  for (const AuditTarget& target : AuditTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_FALSE(target.adversaries.empty()) << target.name;
  }
  for (const OnlineModelEntry* entry : OnlineModels()) {
    EXPECT_TRUE(names.contains(std::string(entry->name))) << entry->name;
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    EXPECT_TRUE(names.contains("fit-" + std::string(entry->name)))
        << entry->name;
  }
}

// A model that answers by its noise and leaks, if asked to, that a user came or
// a user's label.
class Teller final : public OnlineModel {
 public:
  struct Kept final : OpenRound {
    void Save(ByteWriter&) const override {}
  };
  enum class Tells : std::uint8_t { kNothing, kPresence, kLabels };
  explicit Teller(Tells tells) : tells_(tells) {}

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override { return Json::Object{}; }
  std::string Summary() const override { return "teller"; }
  std::uint64_t phase() const override {
    return tells_ == Tells::kPresence ? present_ : 0;
  }
  Result<OpenResult> Open(FeatureView, std::string_view, Rng& rng) override {
    ++present_;
    return OpenResult{.prediction = rng.Next() % 2 == 0,
                      .open = std::make_unique<Kept>()};
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    rng.Next();
    return false;
  }
  Status Close(std::unique_ptr<OpenRound>, const Label& y) override {
    ones_ += y.positive() ? 1 : 0;
    return Ok();
  }
  std::optional<Json> hypothesis() const override {
    return Json::Object{{"ones", tells_ == Tells::kLabels ? ones_ : 0}};
  }
  Status Save(ByteWriter&) override { return Ok(); }
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader&) override {
    return std::unique_ptr<OpenRound>(std::make_unique<Kept>());
  }

 private:
  Tells tells_;
  std::uint64_t present_ = 0;
  std::uint64_t ones_ = 0;
  Guarantee guarantee_ = *Guarantee::Create({.notion = Notion::kChallengeDp,
                                             .epsilon = 1,
                                             .delta = 0.01,
                                             .protects = "everything"});
};

template <Teller::Tells tells>
OnlineModelEntry TellerEntry() {
  return {
      .name = "teller",
      .help = "",
      .example = "",
      .options = {},
      .labels = {LabelType::Kind::kTwo},
      .promise = "",
      .publishes = "",
      .prepare = nullptr,
      .plan = nullptr,
      .create =
          [](const ModelRequest&) -> Result<std::unique_ptr<OnlineModel>> {
        return std::unique_ptr<OnlineModel>(std::make_unique<Teller>(tells));
      },
      .load = nullptr};
}

// One pair of the protected user's versions.
AuditResult MakeAudit(const OnlineModelEntry& entry, std::size_t pair) {
  Settings settings(Session::Options(entry));
  EXPECT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.Set("delta", "0.01"));
  auto session =
      Session::Create(entry, settings, {.features = 1}, KnownKey(), true);
  if (!session) throw std::runtime_error(session.error().message);
  AuditSubject subject{"teller", {}};
  subject.cases.push_back(
      {"one-user",
       "session",
       {1, 0.01},
       std::make_unique<SessionGamePair>(
           *std::move(session), 8, SessionPlayer::Clock{.published = 6},
           std::vector<OneUser>{UsersOfOneRound({2})[pair]})});
  return Audit(subject, {.runs = 256, .looks = 1});
}

TEST(SessionGamePairStatisticalTest, ASessionThatLeaksIsAViolation) {
  constexpr std::size_t kOtherLabel = 0;
  constexpr std::size_t kAbsent = 4;
  const OnlineModelEntry presence = TellerEntry<Teller::Tells::kPresence>();
  EXPECT_TRUE(MakeAudit(presence, kAbsent).violation());
  EXPECT_FALSE(MakeAudit(presence, kOtherLabel).violation());
  const OnlineModelEntry labels = TellerEntry<Teller::Tells::kLabels>();
  EXPECT_TRUE(MakeAudit(labels, kOtherLabel).violation());
  const OnlineModelEntry nothing = TellerEntry<Teller::Tells::kNothing>();
  const AuditResult sound = MakeAudit(nothing, kAbsent);
  EXPECT_FALSE(sound.violation());
  EXPECT_FALSE(sound.broken());
}

TEST(PlayForkedTest, BringsBackTheViewAndLeavesNothingBehind) {
  int changed = 0;
  View view;
  const Status played = PlayForked(
      [&](View& seen) {
        changed = 1;
        seen.seen = {1, View::kHidden, 3};
        return Ok();
      },
      view);
  ASSERT_TRUE(played);
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{1, View::kHidden, 3}));
  EXPECT_EQ(changed, 0);
}

TEST(PlayForkedTest, AGameThatFailsOrDiesIsNoGame) {
  View view;
  const Status failed =
      PlayForked([](View&) { return Status(InvalidArgument("no")); }, view);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_FALSE(PlayForked([](View&) -> Status { _exit(0); }, view));
}

}  // namespace
}  // namespace sotto
