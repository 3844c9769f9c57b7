#include "sotto/testing/neighbour_replay.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace sotto {
namespace {

static_assert(NoiseAdder<NoiseRecorder>);

std::int64_t Tape(int round, int index) {
  return (round * 7 + index * 3) % 5 - 2;
}

struct User {
  int point;
  std::optional<int> label;
};

// A vote over copies that remember the last label of each of two points.
class VoteOfMemorizers {
 public:
  // The rule that assigns the next labelled example to a copy.
  enum class Index { kEveryRound, kLabelledRounds };

  VoteOfMemorizers(NoiseRecorder& noise, Index index)
      : noise_(noise), index_(index) {}

  void Round(const std::optional<User>& user) {
    ++rounds_;
    if (!user) return;
    const auto point = static_cast<std::size_t>(user->point);
    std::int64_t votes = 0;
    for (const auto& copy : copies_) votes += copy[point];
    noise_.Add(votes);
    if (!user->label) return;
    ++labels_;
    const std::size_t turn = index_ == Index::kEveryRound ? rounds_ : labels_;
    copies_[turn % copies_.size()][point] = *user->label;
  }

 private:
  NoiseRecorder& noise_;
  Index index_;
  std::size_t rounds_ = 0;
  std::size_t labels_ = 0;
  std::array<std::array<int, 2>, 5> copies_{};
};

ReplayReport ReplayVotes(VoteOfMemorizers::Index index) {
  // Three of five copies learn 1 at point 0; round 5 differs; then those same
  // three learn 0, unless the copies' turns have shifted.
  const std::vector<User> stream = {{0, 1}, {1, 0}, {0, 1}, {1, 0},
                                    {0, 1}, {0, 0}, {1, 0}, {0, 0},
                                    {1, 0}, {0, 0}, {0, 0}, {0, 0}};
  return ReplayNeighbours(Tape, 1, ReplayMode::kSameAnswers,
                          [&](World world, NoiseRecorder& noise) {
                            VoteOfMemorizers votes(noise, index);
                            for (std::size_t i = 0; i < stream.size(); ++i) {
                              const bool differs = i == 5;
                              noise.BeginRound(differs);
                              votes.Round(differs && world == World::kQ
                                              ? std::nullopt
                                              : std::optional(stream[i]));
                            }
                          });
}

TEST(NeighbourReplayTest, AcceptsAVoteWithOneCopyPerRound) {
  const ReplayReport report = ReplayVotes(VoteOfMemorizers::Index::kEveryRound);
  EXPECT_FALSE(report.violation);
  EXPECT_EQ(report.largest_gap, 1);
  EXPECT_EQ(report.compared, 11);
}

TEST(NeighbourReplayTest, RefutesACopyIndexThatSkipsUnlabelledRounds) {
  const ReplayReport report =
      ReplayVotes(VoteOfMemorizers::Index::kLabelledRounds);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->round, 9);
  EXPECT_GT(report.largest_gap, 1);
}

// Counts how often the noisy value was positive and adds noise to that count:
// the count follows the answers, so only one and the same past is comparable.
ReplayReport ReplayFeedback(ReplayMode mode) {
  return ReplayNeighbours([](int, int) { return 0; }, 1, mode,
                          [](World world, NoiseRecorder& noise) {
                            std::int64_t state = world == World::kP ? 0 : 1;
                            for (int i = 0; i < 6; ++i) {
                              noise.BeginRound();
                              state += noise.Add(state) > 0 ? 1 : 0;
                            }
                          });
}

TEST(NeighbourReplayTest, ComparesGivenOnePastViewWhenAnswersAreShared) {
  EXPECT_FALSE(ReplayFeedback(ReplayMode::kSameAnswers).violation);
  const ReplayReport report = ReplayFeedback(ReplayMode::kSameNoise);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->round, 1);
  EXPECT_EQ(report.violation->p, 0);
  EXPECT_EQ(report.violation->q, 2);
}

TEST(NeighbourReplayTest, ReportsNoiseThatOnlyOneWorldAdds) {
  const ReplayReport report = ReplayNeighbours(
      Tape, 1, ReplayMode::kSameNoise, [](World world, NoiseRecorder& noise) {
        for (int i = 0; i < 3; ++i) {
          noise.BeginRound();
          if (world == World::kQ || i != 1) noise.Add(4);
        }
      });
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->round, 1);
  EXPECT_FALSE(report.violation->p);
  EXPECT_EQ(report.violation->q, 4);
}

TEST(NeighbourReplayTest, AddsTheTapeAndMeasuresExtremeGaps) {
  NoiseRecorder p(Tape);
  NoiseRecorder q(Tape);
  p.BeginRound();
  q.BeginRound();
  EXPECT_EQ(p.Add(10), 10 + Tape(0, 0));
  EXPECT_EQ(p.Add(std::numeric_limits<std::int64_t>::min() + 5),
            std::numeric_limits<std::int64_t>::min() + 5 + Tape(0, 1));
  q.Add(10);
  q.Add(std::numeric_limits<std::int64_t>::max() - 5);
  const ReplayReport report = CompareTraces(p, q, 1);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.largest_gap, std::numeric_limits<std::uint64_t>::max() - 10);
}

}  // namespace
}  // namespace sotto
