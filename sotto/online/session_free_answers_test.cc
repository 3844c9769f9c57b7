// Users over the limit: a publisher answers them from the hypothesis before the
// round, and nothing else in the world changes.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sotto/online/session.h"
#include "sotto/online/session_test_model.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingModel;

// Publishes how many rounds there were and how many labels came; its hypothesis
// says whether that sum and the first feature are odd together.
class PublishingModel final : public RecordingModel {
 public:
  using RecordingModel::RecordingModel;

  static bool Answer(std::uint64_t published, FeatureView x) {
    return (published + static_cast<std::uint64_t>(ValueAt(x, 0))) % 2 == 1;
  }
  std::uint64_t published() const { return published_; }

  std::optional<PublicAnswer> PredictPublished(FeatureView x) const override {
    return PublicAnswer{Label(Answer(published_, x)), 0.25};
  }
  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override {
    ++published_;
    return RecordingModel::Open(x, user, rng);
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    ++published_;
    return RecordingModel::PlayEmptyRound(rng);
  }
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override {
    ++published_;
    return RecordingModel::Close(std::move(open), y);
  }

 private:
  std::uint64_t published_ = 0;
};

const OnlineModelEntry& PublishingEntry() {
  static const OnlineModelEntry kEntry = [] {
    OnlineModelEntry entry = testing::RecordingEntry();
    entry.name = "publishing";
    entry.create = [](const ModelRequest& request)
        -> Result<std::unique_ptr<OnlineModel>> {
      return std::unique_ptr<OnlineModel>(
          std::make_unique<PublishingModel>(RecordedCalls(), request.settings));
    };
    return entry;
  }();
  return kEntry;
}

std::unique_ptr<Session> Make(const OnlineModelEntry& entry,
                              std::vector<std::string>& calls,
                              const char* flag = nullptr) {
  RecordedCalls() = &calls;
  Settings settings(testing::SessionTable(entry));
  EXPECT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.Set("delta", "1e-6"));
  EXPECT_TRUE(settings.Set("horizon", "100"));
  if (flag != nullptr) {
    EXPECT_TRUE(settings.Set(flag, "true"));
  }
  const std::array<std::byte, Key::kBytes> bytes{std::byte{7}};
  auto session =
      Session::Create(entry, settings, {.features = 3}, Key::FromBytes(bytes));
  EXPECT_TRUE(session);
  return session ? *std::move(session) : nullptr;
}

// A round of a user as the adversary sees it, and the calls of the model.
struct Seen {
  std::vector<std::string> calls;
  std::uint64_t before = 0;  // what was published before the round
  std::uint64_t after = 0;
  Round round;
};

std::vector<Seen> Play(std::vector<Round> rounds) {
  std::vector<std::string> calls;
  const auto session = Make(PublishingEntry(), calls);
  const auto& model = dynamic_cast<const PublishingModel&>(session->model());
  std::vector<Seen> seen;
  for (Round& round : rounds) {
    calls.clear();
    const std::uint64_t before = model.published();
    EXPECT_TRUE(session->Play(std::span(&round, 1)));
    seen.push_back({calls, before, model.published(), round});
  }
  return seen;
}

// Broken: the answer comes from what is published after the round.
std::vector<Seen> PlayAnsweringLate(const std::vector<Round>& rounds) {
  std::vector<Seen> seen = Play(rounds);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].round.presence != Presence::kRefused) continue;
    seen[i].round.prediction =
        Label(PublishingModel::Answer(seen[i].after, rounds[i].x));
  }
  return seen;
}

// Broken: the round of a user over the limit is opened, and taught.
std::vector<Seen> PlayLearning(std::vector<Round> rounds) {
  for (Round& round : rounds) round.user.clear();
  return Play(rounds);
}

Round MakeRound(const char* user, double x, std::optional<Label> y = {}) {
  return {.x = {{0, x}}, .y = y, .user = user};
}

// All answers to users over the limit are those of the hypothesis before.
bool FollowsThePast(const std::vector<Seen>& seen,
                    const std::vector<Round>& rounds) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].round.presence != Presence::kRefused) continue;
    const bool right = PublishingModel::Answer(seen[i].before, rounds[i].x);
    if (seen[i].round.prediction != Label(right)) return false;
  }
  return true;
}

// Two streams that differ in what the third round, ann's second, holds: the
// number of rounds at which something else than her own answer differs.
int Differences(
    const std::function<std::vector<Seen>(const std::vector<Round>&)>& play) {
  const std::vector<Round> here = {
      MakeRound("ann", 1, Label(true)), MakeRound("bob", 1),
      MakeRound("ann", 1, Label(true)), MakeRound("cyd", 0, Label(true)),
      MakeRound("bob", 2)};
  std::vector<Round> there = here;
  there[2] = MakeRound("ann", 2);
  const auto a = play(here);
  const auto b = play(there);
  int differences = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool own = i == 2;
    const bool same = a[i].calls == b[i].calls && a[i].after == b[i].after &&
                      (own || a[i].round == b[i].round);
    differences += same ? 0 : 1;
  }
  return differences;
}

TEST(SessionFreeAnswersTest, APublisherAnswersFromTheHypothesisBeforeTheRound) {
  const std::vector<Round> rounds = {
      MakeRound("ann", 1, Label(true)), MakeRound("ann", 1, Label(true)),
      MakeRound("ann", 2, Label(false)), MakeRound("bob", 0)};
  const auto seen = Play(rounds);
  EXPECT_TRUE(seen[0].round.present());
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(seen[i].round.presence, Presence::kRefused);
    EXPECT_TRUE(seen[i].round.x.empty());
    EXPECT_EQ(seen[i].round.probability, 0.25);
    EXPECT_EQ(seen[i].calls, std::vector<std::string>{"tick"});
  }
  EXPECT_TRUE(FollowsThePast(seen, rounds));
  EXPECT_FALSE(FollowsThePast(PlayAnsweringLate(rounds), rounds));
}

TEST(SessionFreeAnswersTest, WhatSuchARoundHoldsChangesNothingForOthers) {
  EXPECT_EQ(Differences(Play), 0);
  EXPECT_GT(Differences(PlayLearning), 0);
}

TEST(SessionFreeAnswersTest, ItGetsNoTicketAndItsLabelIsNotTaken) {
  std::vector<std::string> calls;
  const auto session = Make(PublishingEntry(), calls);
  Round first = MakeRound("ann", 1);
  Round second = MakeRound("ann", 1);
  EXPECT_TRUE(*session->Open(first));
  const auto ticket = session->Open(second);
  ASSERT_TRUE(ticket);
  EXPECT_FALSE(*ticket);
  EXPECT_TRUE(second.prediction);
  Round bad{.x = {{9, 1}}, .user = "ann"};
  EXPECT_FALSE(*session->Open(bad));
  EXPECT_FALSE(bad.prediction);
}

TEST(SessionFreeAnswersTest, TheyAreCountedApartAndWithPublicAsZero) {
  for (const char* flag : {static_cast<const char*>(nullptr), "public"}) {
    std::vector<std::string> calls;
    const auto session = Make(PublishingEntry(), calls, flag);
    std::vector<Round> rounds;
    for (int i = 0; i < 9; ++i)
      rounds.push_back(MakeRound("ann", 1, Label(i > 4)));
    EXPECT_TRUE(session->Play(rounds));
    const RunStats& stats = session->stats();
    EXPECT_EQ(stats.refused, 8U);
    EXPECT_EQ(stats.answered, 1U);
    EXPECT_EQ(stats.now.labelled, 1U);
    EXPECT_EQ(stats.free.answered, 8U);
    EXPECT_EQ(stats.free.labelled, 8U);
    std::uint64_t wrong = 0;
    for (int i = 1; i < 9; ++i) {
      wrong += rounds[i].prediction != Label(i > 4) ? 1 : 0;
      EXPECT_FALSE(IsMistake(rounds[i]));  // the private count adds 0
    }
    EXPECT_EQ(stats.free.mistakes, wrong);
    EXPECT_GT(wrong, 0U);
  }
}

TEST(SessionFreeAnswersTest, AModelThatPublishesNothingRefusesThem) {
  std::vector<std::string> calls;
  const auto session = Make(testing::RecordingEntry(), calls);
  std::vector<Round> rounds = {MakeRound("ann", 1),
                               MakeRound("ann", 1, Label(true))};
  EXPECT_TRUE(session->Play(rounds));
  EXPECT_FALSE(rounds[1].prediction);
  EXPECT_FALSE(rounds[1].y);
  EXPECT_EQ(session->stats().free.answered, 0U);
}

}  // namespace
}  // namespace sotto
