// Complete POP instances against the accountant's claim, and nine broken
// variants that violate it.
#include "sotto/testing/distributions/pop_procedure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/pop_accountant.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/distributions/pop_learners.h"
#include "sotto/testing/distributions/pop_memorizers.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"

namespace sotto {
namespace {

using OnePoint = PopProcedure<double, OnePointMemorizer>;
using TwoPoints = PopProcedure<double, TwoPointMemorizer>;
using Threshold = PopProcedure<double, ThreePointThreshold>;

struct Setting {
  double e0;
  int low;
  int high;
  int copies;
  double e_s;
  int limit;
  double epsilon;
  int rounds;
};

template <typename Distribution>
ExactGame<Distribution> MakeGame(const Setting& s, Distribution distribution) {
  distribution.round = {.theta = std::exp(-s.e0),
                        .low = s.low,
                        .high = s.high,
                        .copies = s.copies,
                        .stopper_theta = std::exp(-s.e_s),
                        .limit = s.limit};
  distribution.rounds = s.rounds;
  return ExactGame(distribution, s.rounds);
}

// All challenge pairs are offered in both orders, so one direction is enough.
template <typename Distribution>
double ComputeDelta(const Setting& s, const Distribution& distribution) {
  return *MakeGame(s, distribution)
              .Delta(std::exp(s.epsilon), Direction::kPOverQ);
}

PopProcess MakeProcess(const Setting& s) {
  return {.rate = s.e0,
          .gap = s.high - s.low - 1,
          .targets = s.limit,
          .stopper = s.e_s};
}
// The claim: the smaller of the accountant's two answers.
double Claim(const Setting& s) {
  return std::min(PopDelta(MakeProcess(s), s.epsilon)->delta,
                  ExactPopDelta(MakeProcess(s), s.epsilon)->delta);
}

double GetError(const Setting& s) {
  return s.rounds * (1 + std::exp(s.epsilon)) * 0x1p-41;
}

template <typename Distribution>
double ExpectAccepted(const Setting& s, const Distribution& distribution) {
  const double delta = ComputeDelta(s, distribution);
  const double claim = Claim(s);
  EXPECT_LE(delta, claim + GetError(s))
      << "e0 " << s.e0 << " band " << s.low << ".." << s.high << " k "
      << s.copies << " e_s " << s.e_s << " r " << s.limit << " epsilon "
      << s.epsilon;
  return delta / claim;
}

// Pr[a transcript] in one world, by following the distribution forward.
template <typename Distribution, typename Steps>
double Replayed(const Distribution& distribution, World world,
                const Steps& steps) {
  auto belief = distribution.Initial(world);
  auto context = distribution.Start();
  for (const auto& [move, seen] : steps) {
    decltype(belief) next;
    for (const auto& [weight, state] : belief) {
      for (auto& outcome : distribution.Step(world, context, state, move)) {
        if (outcome.observation != seen || outcome.probability == 0) continue;
        next.push_back({weight * outcome.probability, outcome.state});
      }
    }
    belief = std::move(next);
    context = distribution.Next(context, move, seen);
  }
  double sum = 0;
  for (const auto& entry : belief) sum += entry.weight;
  return sum;
}

std::string Describe(const PopInput& input) {
  if (input.point == PopInput::kAbsent) return "absent";
  constexpr const char* kLabels[] = {"", "=0", "=1", "=answer", "=opposite"};
  std::string text = "x";
  text += std::to_string(input.point);
  text += kLabels[static_cast<std::size_t>(input.label)];
  return input.late ? text + " late" : text;
}
template <typename Transcript>
std::string Describe(const Transcript& transcript) {
  std::string text;
  for (const auto& [move, seen] : transcript.steps) {
    text += Describe(move.input[0]);
    if (move.hidden) text += " | " + Describe(move.input[1]);
    text += " ->";
    if (!move.hidden) text += " n " + std::to_string(seen.n);
    if (!move.hidden) text += seen.answer ? " yes" : " no";
    if (seen.slot >= 0) text += " copy " + std::to_string(seen.slot);
    text += seen.halted ? " halt; " : "; ";
  }
  return text + std::to_string(transcript.numerator) + " against " +
         std::to_string(transcript.denominator);
}

// The delta of the broken variant is above the claim, and its attack is a
// proof: transcripts whose probabilities, followed forward, add up to that
// delta.
template <typename Distribution>
void ExpectRefuted(const Setting& s, const Distribution& distribution,
                   double at_least) {
  const auto game = MakeGame(s, distribution);
  const double e = std::exp(s.epsilon);
  const double claim = Claim(s);
  const double delta = *game.Delta(e, Direction::kPOverQ);
  EXPECT_GT(delta - GetError(s), claim);
  EXPECT_GT(delta, at_least);
  const auto attack = *game.Attack(e, Direction::kPOverQ);
  ASSERT_FALSE(attack.empty());
  double proved = 0;
  for (const auto& t : attack) {
    const double p = Replayed(game.distribution(), World::kP, t.steps);
    const double q = Replayed(game.distribution(), World::kQ, t.steps);
    EXPECT_NEAR(p, t.numerator, 1e-12);
    EXPECT_NEAR(q, t.denominator, 1e-12);
    proved += p - e * q;
  }
  EXPECT_NEAR(proved, delta, GetError(s) + 1e-9);
  EXPECT_GT(proved, claim);
  testing::Test::RecordProperty("claim", std::to_string(claim));
  testing::Test::RecordProperty("delta", std::to_string(delta));
  testing::Test::RecordProperty("attack", Describe(attack[0]));
}

constexpr PopInput kAbsent{};
constexpr PopInput kAsk0{0, PopLabel::kNever};
constexpr PopInput kTeach0{0, PopLabel::kOne};
constexpr PopInput kTeach0Late{0, PopLabel::kOne, true};

PopAdversary Asks() { return {.teaches = false, .rounds_before = 0}; }

// --- The distribution of one round, and the game against one written
// independently.

TEST(PopRoundDistributionTest, RoundIsTheAverageOfPlayOverItsNoise) {
  using Exact = ExactNumber;
  const Exact half = Exact(1) / 2;
  const PopRoundDistribution<double> distribution{.theta = 0.5,
                                                  .low = 0,
                                                  .high = 3,
                                                  .copies = 3,
                                                  .stopper_theta = 0.5,
                                                  .limit = 2};
  const DiscreteLaplaceDistribution<double> noise(0.5);
  for (int votes : {0, 2}) {
    for (const auto& event : distribution.Round(votes, {})) {
      double sum = 0;
      for (int z = -40; z <= 40; ++z) {
        for (int rho = 0; rho < 40; ++rho) {
          for (int nu = 0; nu < 40; ++nu) {
            const auto played = distribution.Play(votes, 0, z, rho, nu);
            if (played.zone != event.zone || played.n != event.n) continue;
            if (played.halted != event.halted) continue;
            EXPECT_EQ(played.answer, event.answer);
            sum += noise.Mass(z) * std::pow(0.5, rho + nu + 2);
          }
        }
      }
      EXPECT_NEAR(sum, event.probability, 1e-11);  // 2^-40 left out.
    }
  }
  // With rationals nothing is rounded, after checks at 0 and 1 too.
  const PopRoundDistribution<Exact> exact{
      .theta = half, .copies = 2, .stopper_theta = half, .limit = 2};
  Exact total = 0;
  for (const auto& event : exact.Round(1, {0, 1})) total += event.probability;
  EXPECT_EQ(total, 1);
}

TEST(PopProcedureTest, EqualsTheIndependentDistributionOfOnePhase) {
  for (int copies : {2, 3}) {
    const Setting s{0.5, 0, copies, copies, 1, 1, 0.5, 3};
    const PopMemorizers<double> other{.theta = std::exp(-0.5),
                                      .low = 0,
                                      .high = copies,
                                      .stopper_theta = std::exp(-1.0),
                                      .copies = copies};
    const ExactGame game(ChallengeDistribution{other}, 3);
    const double expected = *game.Delta(std::exp(0.5), Direction::kPOverQ);
    EXPECT_GT(expected, 0.04);
    EXPECT_NEAR(ComputeDelta(s, TwoPoints{.generations = 1, .phases = 1}),
                expected, 1e-12);
  }
}

TEST(PopProcedureTest, LeavingOutWhatCannotMatterChangesNothing) {
  const Setting s{1, 0, 2, 2, 1, 1, 0.5, 3};
  const OnePoint distribution{
      .adversary = {.delays = true, .rounds_before = 0}};
  auto literal = MakeGame(s, distribution).distribution();
  literal.rounds = 0;  // Offers labels in the last rounds too.
  EXPECT_NEAR(*ExactGame(literal, 3).Delta(std::exp(0.5), Direction::kPOverQ),
              ComputeDelta(s, distribution), 1e-12);
  // And continues when the hidden round's copy is gone.
  auto hidden = distribution;
  hidden.index = PopIndex::kChosen;
  auto silent = hidden;
  silent.shows_index = false;  // Known to the adversary, who chooses it.
  EXPECT_NEAR(ComputeDelta(s, silent), ComputeDelta(s, hidden), 1e-12);
}

TEST(PopProcedureTest, ChosenIndicesAreNoBetterForUsThanDrawnOnes) {
  const Setting s{1, 0, 2, 2, 1, 1, 1, 3};
  const double drawn = ComputeDelta(s, TwoPoints{});
  const double chosen = ComputeDelta(s, TwoPoints{.index = PopIndex::kChosen});
  EXPECT_GT(drawn, 0.01);
  EXPECT_GE(chosen, drawn);
  EXPECT_LE(chosen, Claim(s));
}

TEST(PopProcedureTest, DeltaStaysBelowTheClaimInThreeRounds) {
  for (double epsilon : {0.5, 1.0, 2.0}) {
    ExpectAccepted({1, 0, 2, 2, 1, 1, epsilon, 3}, OnePoint{});
    ExpectAccepted(
        {0.5, 0, 3, 3, 2, 1, epsilon, 3},
        OnePoint{.index = PopIndex::kChosen, .adversary = {.delays = true}});
  }
}

// A band so wide that a present user is paid for and an absent one is not: then
// the Stopper's share is the whole loss, and the claim is nearly attained.
Setting WideBand() { return {0.01, -1000, 1002, 2, 2, 1, 1.9, 1}; }

TEST(PopProcedureTest, TheStoppersShareOfTheClaimIsAttained) {
  EXPECT_GT(ExpectAccepted(WideBand(), OnePoint{.adversary = Asks()}), 0.99);
}

// --- Broken variants: one deviation each, refuted at the claim of the sound
// one.

TEST(PopBrokenVariantsTest, IndexChosenFromCopyStates) {
  const Setting s{0.2, 0, 2, 2, 1, 1, 3, 3};
  TwoPoints distribution{.adversary = {.rounds_before = 0}};
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kIndexFromStates;
  ExpectRefuted(s, distribution, 0.6);
}

TEST(PopBrokenVariantsTest, LabelTaughtToTwoCopies) {
  const Setting s{1.3, 0, 4, 2, 4, 1, 11.8, 6};
  OnePoint distribution{.generations = 1,
                        .phases = 1,
                        .index = PopIndex::kInTurn,
                        .adversary = Asks()};
  distribution.adversary.pairs = {{kAbsent, kTeach0}, {kTeach0, kAbsent}};
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kTwoCopies;
  ExpectRefuted(s, distribution, 0.2);
}

TEST(PopBrokenVariantsTest, StopperCheckedOnlyOnPaidRounds) {
  const Setting s{0.2, 0, 5, 5, 1, 1, 3, 2};
  TwoPoints distribution{.index = PopIndex::kInTurn, .adversary = Asks()};
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kChecksPaidOnly;
  ExpectRefuted(s, distribution, 0.18);
}

TEST(PopBrokenVariantsTest, IndexConsumedOnlyOnLabelledRounds) {
  const Setting s{0.2, 0, 2, 2, 1, 1, 3, 2};
  TwoPoints distribution{.index = PopIndex::kInTurn,
                         .adversary = {.rounds_before = 0}};
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kIndexOnLabels;
  ExpectRefuted(s, distribution, 0.999);
}

TEST(PopBrokenVariantsTest, AnswersCachedAcrossUsers) {
  // The standby knows the label 1 of both points; the cache outlives the
  // handover, with the hidden user's old answer in it.
  const Setting s{0.8, 1, 4, 5, 1, 1, 2, 7};
  TwoPoints distribution{.index = PopIndex::kInTurn, .adversary = Asks()};
  distribution.adversary.pairs = {{kAsk0, kAbsent}, {kAbsent, kAsk0}};
  for (int slot = 5; slot < 10; ++slot) distribution.start |= 3U << 2 * slot;
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kCachedAnswers;
  ExpectRefuted(s, distribution, 0.5);
}

TEST(PopBrokenVariantsTest, BandThatDoesNotSurroundHalfTheCopies) {
  // Paid rounds lie far below half, so all others answer either way for free.
  const Setting s{1.6, -480, -475, 2, 4, 1, 7.2, 10};
  OnePoint distribution{.generations = 1,
                        .phases = 1,
                        .index = PopIndex::kInTurn,
                        .adversary = Asks()};
  distribution.adversary.pairs = {{kAsk0, kTeach0}};
  Setting sound = s;
  sound.low = 0;
  sound.high = 5;
  sound.rounds = 6;
  ExpectAccepted(sound, distribution);
  ExpectRefuted(s, distribution, 0.6);
}

TEST(PopBrokenVariantsTest, AbsentUserThatTakesNoRound) {
  const Setting s{0.2, 0, 2, 2, 1, 1, 3, 2};
  TwoPoints distribution{
      .index = PopIndex::kInTurn, .shows_index = false, .adversary = Asks()};
  ExpectAccepted(s, distribution);
  distribution.variant = BrokenPopVariant::kAbsentNoTick;
  ExpectRefuted(s, distribution, 0.3);
}

TEST(PopBrokenVariantsTest, StopperSoldAtNineTenthsOfItsShare) {
  const Setting s = WideBand();
  PopProcess sold = MakeProcess(s);
  sold.stopper *= 0.9;
  const double delta = ComputeDelta(s, OnePoint{.adversary = Asks()});
  EXPECT_GT(delta, 1000 * PopDelta(sold, s.epsilon)->delta);
}

// Not above the claim in so few rounds: it doubles what the band may lose,
// which a handful of rounds cannot show. It is above what a sound distribution
// can lose.
TEST(PopBrokenVariantsTest, LateLabelThatLandsInTheNextGeneration) {
  const Setting s{1, 0, 4, 2, 0.5, 1, 2.5, 7};
  OnePoint distribution{
      .generations = 1, .index = PopIndex::kInTurn, .adversary = Asks()};
  distribution.adversary.delays = true;
  distribution.adversary.pairs = {{kTeach0, kTeach0Late},
                                  {kTeach0Late, kTeach0}};
  const double sound = ComputeDelta(s, distribution);
  EXPECT_LE(sound, Claim(s));
  distribution.variant = BrokenPopVariant::kNoTags;
  EXPECT_GT(ComputeDelta(s, distribution), 2 * sound);
}

// --- Sweeps. Nothing random: the name keeps them to release builds.

// e0, e_s, r, epsilon.
struct Rates {
  double e0;
  double e_s;
  int limit;
  double epsilon;
};

template <typename Distribution>
double Sweep(const Distribution& distribution, int rounds,
             const std::vector<int>& copies, const std::vector<Rates>& all) {
  double worst = 0;
  std::string where;
  for (int k : copies) {
    for (const Rates& r : all) {
      const Setting s{r.e0, 0, k, k, r.e_s, r.limit, r.epsilon, rounds};
      const double ratio = ExpectAccepted(s, distribution);
      if (ratio <= worst) continue;
      worst = ratio;
      where = std::to_string(ratio) + " at e0 " + std::to_string(r.e0) +
              ", e_s " + std::to_string(r.e_s) + ", r " +
              std::to_string(r.limit) + ", epsilon " +
              std::to_string(r.epsilon) + ", k " + std::to_string(k);
    }
  }
  testing::Test::RecordProperty("worst_in_" + std::to_string(rounds), where);
  return worst;
}

TEST(PopProcedureExactTest, AskingForEightRounds) {
  TwoPoints distribution{.index = PopIndex::kChosen, .adversary = Asks()};
  EXPECT_GT(Sweep(distribution, 8, {2, 5}, {{0.5, 2, 1, 1}}), 0.1);
  EXPECT_GT(Sweep(distribution, 8, {2, 3, 4, 5}, {{1, 1, 1, 0.5}}), 0.4);
}

TEST(PopProcedureExactTest, AskingForSixRoundsInManySettings) {
  std::vector<Rates> all;
  for (double e0 : {0.2, 0.5, 1.0, 1.5}) {
    for (double e_s : {0.5, 1.0, 2.0}) {
      all.push_back({e0, e_s, 1, 0.4});
      all.push_back({e0, e_s, 1, e_s + e0});
      all.push_back({e0, e_s, 2, 1});
    }
  }
  TwoPoints distribution{.index = PopIndex::kChosen, .adversary = Asks()};
  EXPECT_GT(Sweep(distribution, 6, {2, 3, 4, 5}, all), 0.4);
}

TEST(PopProcedureExactTest, TeachingWithDrawnIndices) {
  EXPECT_GT(Sweep(TwoPoints{}, 4, {2, 3, 4, 5}, {{1, 1, 1, 0.5}}), 0.2);
}

TEST(PopProcedureExactTest, TeachingWithChosenIndices) {
  TwoPoints distribution{.index = PopIndex::kChosen,
                         .adversary = {.rounds_before = 0}};
  EXPECT_GT(
      Sweep(distribution, 4, {2, 3, 4, 5}, {{1, 1, 1, 0.5}, {0.5, 2, 1, 1}}),
      0.2);
  EXPECT_GT(Sweep(distribution, 5, {2}, {{1, 1, 1, 0.5}}), 0.3);
}

TEST(PopProcedureExactTest, TeachingInTurn) {
  TwoPoints distribution{.index = PopIndex::kInTurn,
                         .adversary = {.rounds_before = 0}};
  EXPECT_GT(Sweep(distribution, 6, {2, 5}, {{1, 1, 1, 0.5}}), 0.3);
  OnePoint one{.index = PopIndex::kInTurn, .adversary = {.rounds_before = 2}};
  EXPECT_GT(Sweep(one, 8, {2}, {{1, 1, 1, 0.5}}), 0.3);
}

TEST(PopProcedureExactTest, Thresholds) {
  Threshold asks{.index = PopIndex::kChosen, .adversary = Asks()};
  EXPECT_GT(Sweep(asks, 7, {2, 5}, {{1, 1, 1, 0.5}}), 0.4);
  Threshold teaches{.index = PopIndex::kChosen,
                    .adversary = {.rounds_before = 0}};
  EXPECT_GT(Sweep(teaches, 4, {2, 3}, {{1, 1, 1, 0.5}}), 0.2);
}

TEST(PopProcedureExactTest, LateLabelsAndLabelsThatAnswerBack) {
  OnePoint one{
      .index = PopIndex::kInTurn,
      .adversary = {.delays = true, .answers_back = true, .rounds_before = 0}};
  EXPECT_GT(Sweep(one, 5, {2, 5}, {{1, 1, 1, 0.5}}), 0.3);
  TwoPoints two{.adversary = {.delays = true, .answers_back = true}};
  EXPECT_GT(Sweep(two, 3, {2, 3}, {{1, 1, 1, 0.5}}), 0.1);
}

TEST(PopProcedureExactTest, BandsBeyondTheVotesAndThreePhases) {
  TwoPoints distribution{
      .phases = 3, .index = PopIndex::kChosen, .adversary = Asks()};
  for (double epsilon : {1.0, 1.9, 2.5}) {
    for (int k : {2, 5}) {
      ExpectAccepted({1, -4, k + 4, k, 2, 1, epsilon, 5}, distribution);
      ExpectAccepted({0.5, 0, k + 6, k, 1, 1, epsilon, 5}, distribution);
    }
  }
}

}  // namespace
}  // namespace sotto
