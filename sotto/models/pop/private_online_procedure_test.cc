#include "sotto/models/pop/private_online_procedure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/pop/pop_test_tools.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Pop = PrivateOnlineProcedure;

Pop MustCreate(const PopSchedule& schedule, double epsilon = 16,
               std::uint64_t rounds_per_user = 1) {
  auto pop = Pop::Create({.epsilon = epsilon,
                          .delta = 0.999,
                          .schedule = schedule,
                          .rounds_per_user = rounds_per_user},
                         PlainThresholds());
  if (!pop) ADD_FAILURE() << pop.error().message;
  return *std::move(pop);
}

// Two copies of a state that must stay alike.
std::string Saved(Pop& pop) {
  ByteWriter writer;
  EXPECT_TRUE(pop.Save(writer));
  return std::move(writer).bytes();
}

Pop::Answer OpenAndClose(Pop& pop, const Pop::Example& example, Rng& rng) {
  auto round = pop.Open(example.x, "", rng);
  if (!round) {
    ADD_FAILURE() << round.error().message;
    return {};
  }
  const Pop::Answer answer{round->prediction(), round->paid()};
  if (example.y) {
    EXPECT_TRUE(pop.Close(*std::move(round), *example.y));
  }
  return answer;
}

// Plays by DrawRound and PlayDrawn, `batch` at a time. Draws that a handover
// made void are taken again from the same place, as a caller with noise from
// the history does: here each round has its own stream.
std::vector<Pop::Answer> PlayInBatches(Pop& pop, const TestStream& stream,
                                       std::size_t batch) {
  std::vector<Pop::Answer> answers(stream.examples.size());
  std::size_t done = 0;
  while (done < answers.size()) {
    const std::size_t size = std::min(batch, answers.size() - done);
    std::vector<Pop::Draw> draws;
    for (std::size_t i = 0; i < size; ++i) {
      testing::SeededRng rng(done + i);
      draws.push_back(pop.DrawRound(rng));
    }
    const auto played =
        pop.PlayDrawn(std::span(stream.examples).subspan(done, size), draws,
                      std::span(answers).subspan(done, size));
    if (!played) {
      ADD_FAILURE() << played.error().message;
      return answers;
    }
    done += *played;
  }
  return answers;
}

TEST(PrivateOnlineProcedureTest, BatchesEqualOneRoundAtATime) {
  testing::SeededRng source(1);
  const TestStream stream = Thresholds(900, source, 7);
  for (const PhaseEnd handover : {PhaseEnd::kRestart, PhaseEnd::kStandby}) {
    for (const std::int64_t mistakes : {0, 20}) {
      PopSchedule schedule = BriskSchedule(handover);
      schedule.mistakes = mistakes;
      Pop single = MustCreate(schedule);
      std::vector<Pop::Answer> expected;
      for (std::size_t i = 0; i < stream.examples.size(); ++i) {
        testing::SeededRng rng(i);
        expected.push_back(OpenAndClose(single, stream.examples[i], rng));
      }
      EXPECT_GE(single.phase(), 5U);
      for (const std::size_t batch : {1U, 5U, 64U, 900U}) {
        Pop batched = MustCreate(schedule);
        EXPECT_EQ(PlayInBatches(batched, stream, batch), expected);
        EXPECT_EQ(batched.phase(), single.phase());
        EXPECT_EQ(Saved(batched), Saved(single)) << batch;
      }
    }
  }
}

TEST(PrivateOnlineProcedureTest, AResumedRunEqualsAnUninterruptedOne) {
  testing::SeededRng source(2);
  const TestStream stream = Thresholds(600, source, 5);
  PopSchedule schedule = BriskSchedule(PhaseEnd::kStandby);
  schedule.mistakes = 30;
  const Pop::Params params{.epsilon = 16, .delta = 0.999, .schedule = schedule};
  Pop whole = MustCreate(schedule);
  Pop parts = MustCreate(schedule);
  for (std::size_t i = 0; i < stream.examples.size(); ++i) {
    testing::SeededRng first(i);
    testing::SeededRng second(i);
    const auto expected = OpenAndClose(whole, stream.examples[i], first);
    auto round = parts.Open(stream.examples[i].x, "", second);
    ASSERT_TRUE(round);
    EXPECT_EQ(round->prediction(), expected.prediction);
    if (i % 50 == 17) {  // Stop here, with a round still open.
      ByteWriter open;
      round->Save(open);
      const std::string saved = Saved(parts);
      ByteReader reader(saved);
      auto loaded = Pop::Load(params, PlainThresholds(), reader);
      ASSERT_TRUE(loaded) << loaded.error().message;
      ASSERT_TRUE(reader.Finish());
      parts = *std::move(loaded);
      ByteReader open_reader(open.bytes());
      auto reopened = Pop::Round::Load(open_reader, 1);
      ASSERT_TRUE(reopened);
      *round = *std::move(reopened);
    }
    if (stream.examples[i].y) {
      ASSERT_TRUE(parts.Close(*std::move(round), *stream.examples[i].y));
    }
  }
  EXPECT_EQ(Saved(parts), Saved(whole));
}

TEST(PrivateOnlineProcedureTest, LoadRefusesOtherParametersAndDamage) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kStandby);
  Pop pop = MustCreate(schedule);
  const std::string saved = Saved(pop);
  schedule.phases[0].gap = 3;
  ByteReader reader(saved);
  const auto other =
      Pop::Load({.epsilon = 16, .delta = 0.999, .schedule = schedule},
                PlainThresholds(), reader);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kFailedPrecondition);
  const Pop::Params params{.epsilon = 16,
                           .delta = 0.999,
                           .schedule = BriskSchedule(PhaseEnd::kStandby)};
  for (std::size_t size = 0; size < saved.size(); size += 13) {
    const std::string cut = saved.substr(0, size);
    ByteReader short_reader(cut);
    EXPECT_FALSE(Pop::Load(params, PlainThresholds(), short_reader)) << size;
  }
}

// The zone and answer of a round, with every noise value in turn, against the
// proof: the implemented decision has exactly those probabilities.
// Every number of a round comes from its own sampler, in this order, fresh in
// every round: the noise as it is drawn, not a part of it.
TEST(PrivateOnlineProcedureTest, ADrawIsWhatItsSamplersReturn) {
  PopSchedule schedule{
      .handover = PhaseEnd::kHalt,
      .stopper = 0.25,
      .phases = {{.copies = 15, .rate = 0.125, .gap = 4, .reports = 1000}}};
  schedule.mistakes = 1000;
  Pop pop = MustCreate(schedule);
  testing::SeededRng code(5);
  testing::SeededRng own(5);
  const auto laplace = FixedWorkLaplace::Create(ExactRate(0.125));
  const auto geometric = FixedWorkGeometric::Create(ExactRate(0.25));
  ASSERT_TRUE(laplace && geometric);
  for (int round = 0; round < 200; ++round) {
    const Pop::Draw draw = pop.DrawRound(code);
    EXPECT_EQ(draw.share, own.Next());
    EXPECT_EQ(draw.copy, own.Next());
    EXPECT_EQ(draw.noise, laplace->Sample(own));
    if (round == 0) geometric->Sample(own);  // of the threshold, once
    EXPECT_EQ(draw.stopper, geometric->Sample(own));
    if (round == 0) geometric->Sample(own);
    EXPECT_EQ(draw.mistakes, geometric->Sample(own));
  }
}

// Each phase has the noise that its part of the schedule names.
TEST(PrivateOnlineProcedureTest, EveryPhaseDrawsItsOwnNoise) {
  const std::vector<double> rates = {0.5, 0.125, 0.125, 0.25};
  PopSchedule schedule{.handover = PhaseEnd::kStandby, .stopper = 0.5};
  for (const double rate : rates) {
    schedule.phases.push_back({.copies = 3,
                               .rate = rate,
                               .gap = 1,
                               .reports = 8,
                               .rounds = 20,
                               .solo = 0});
  }
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(3);
  for (std::size_t p = 0; p < rates.size(); ++p) {
    ASSERT_EQ(pop.phase(), p);
    const auto laplace = FixedWorkLaplace::Create(ExactRate(rates[p]));
    ASSERT_TRUE(laplace);
    for (std::uint64_t i = 0; i < 10; ++i) {
      testing::SeededRng code(i);
      testing::SeededRng own(i);
      const Pop::Draw draw = pop.DrawRound(code);
      own.Next();  // the share and the copy come before it
      own.Next();
      EXPECT_EQ(draw.noise, laplace->Sample(own)) << "phase " << p;
    }
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(pop.PlayEmptyRound(rng));
  }
}

TEST(PrivateOnlineProcedureTest, ARoundHasTheLawOfTheProof) {
  for (const std::int64_t copies : {2, 3, 4, 5}) {
    for (const std::int64_t gap : {1, 2, 3}) {
      const PopPhase phase{
          .copies = copies, .rate = 0.5, .gap = gap, .reports = 20};
      const PopSchedule schedule{
          .handover = PhaseEnd::kHalt, .stopper = 0.5, .phases = {phase}};
      const PopBand band = ComputeBand(phase);
      Pop pop = MustCreate(schedule);
      testing::SeededRng rng(3);
      pop.DrawRound(rng);
      const DiscreteLaplaceDistribution<double> distribution(std::exp(-0.5));
      double paid = 0;
      double one = 0;
      const FeatureVector x = {{0, 0.75}};  // all copies say 1
      for (int z = -60; z <= 60; ++z) {
        for (const std::uint64_t coin : {0U, 1U}) {
          const Pop::Draw draw{.share = coin << 63, .noise = z};
          Pop::Answer answer;
          ASSERT_TRUE(pop.PlayDrawn(std::vector<Pop::Example>{{x, {}}},
                                    std::span(&draw, 1),
                                    std::span(&answer, 1)));
          paid += answer.paid ? distribution.Mass(z) / 2 : 0;
          one += answer.prediction ? distribution.Mass(z) / 2 : 0;
        }
      }
      double expected_paid = 0;
      for (std::int64_t n = band.low + 1; n < band.high; ++n) {
        expected_paid += distribution.Mass(static_cast<int>(n - copies));
      }
      EXPECT_NEAR(paid, expected_paid, 1e-12);
      const int above = static_cast<int>(copies / 2 + 1 - copies);
      double expected_one = distribution.AtLeast(above);
      if (copies % 2 == 0) expected_one += distribution.Mass(above - 1) / 2;
      EXPECT_NEAR(one, expected_one, 1e-12);
    }
  }
}

TEST(PrivateOnlineProcedureTest, ThePapersRoundIsACoinWhereVotesDisagree) {
  const PopSchedule schedule{
      .variant = PopVariant::kMajority,
      .handover = PhaseEnd::kHalt,
      .stopper = 0.5,
      .phases = {{.copies = 400, .rate = 0.5, .gap = 0, .reports = 100}}};
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(3);
  pop.DrawRound(rng);
  const FeatureVector x = {{0, 0.75}};  // 400 votes: disagreement -200
  for (const int z : {0, 50, 99, 100, 101}) {
    for (const std::uint64_t coin : {0U, 1U}) {
      const Pop::Draw draw{.share = coin << 63, .noise = z};
      Pop::Answer answer;
      ASSERT_TRUE(pop.PlayDrawn(std::vector<Pop::Example>{{x, {}}},
                                std::span(&draw, 1), std::span(&answer, 1)));
      EXPECT_EQ(answer.paid, z >= 100);
      EXPECT_EQ(answer.prediction, z < 100 || coin == 1);
    }
  }
}

// All copies' votes on a grid, as the operator could count them.
std::vector<std::int64_t> VotesOnGrid(Pop& pop) {
  std::vector<std::int64_t> votes;
  for (int i = 0; i <= 64; ++i) {
    const FeatureVector x = {{0, i / 64.0}};
    votes.push_back(*pop.Votes(x));
  }
  return votes;
}

// The largest difference of votes between two runs with the same draws that
// differ in one round: replaced, without its label, or absent.
std::int64_t LargestDifference(const TestStream& stream, std::size_t challenge,
                               int change) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kStandby);
  for (PopPhase& phase : schedule.phases) {
    phase.reports = 400;
    phase.rate = 0.1;
  }
  schedule.phases[0].rounds = 60;
  Pop ours = MustCreate(schedule);
  Pop theirs = MustCreate(schedule);
  const FeatureVector other = {{0, 0.9}};
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < stream.examples.size(); ++i) {
    testing::SeededRng first(i);
    testing::SeededRng second(i);
    OpenAndClose(ours, stream.examples[i], first);
    Pop::Example changed = stream.examples[i];
    if (i == challenge && change == 0) changed = {other, false};
    if (i == challenge && change == 1) changed.y.reset();
    if (i == challenge && change == 2) {
      EXPECT_TRUE(theirs.PlayEmptyRound(second));
    } else {
      OpenAndClose(theirs, changed, second);
    }
    const auto a = VotesOnGrid(ours);
    const auto b = VotesOnGrid(theirs);
    for (std::size_t j = 0; j < a.size(); ++j) {
      largest = std::max(largest, std::abs(a[j] - b[j]));
    }
  }
  return largest;
}

TEST(PrivateOnlineProcedureTest, OneRoundMovesEveryLaterVoteByAtMostOne) {
  testing::SeededRng source(4);
  const TestStream stream = Thresholds(150, source);
  std::int64_t largest = 0;
  for (const std::size_t challenge : {0U, 3U, 20U, 59U, 60U}) {
    for (const int change : {0, 1, 2}) {
      largest = std::max(largest, LargestDifference(stream, challenge, change));
    }
  }
  EXPECT_EQ(largest, 1);  // and it does move some
}

TEST(PrivateOnlineProcedureTest, LabelsOfRetiredGenerationsAreDropped) {
  // Phase 0 teaches its own generation in the first five rounds.
  const PopSchedule schedule{.handover = PhaseEnd::kStandby,
                             .stopper = 0.5,
                             .phases = {{.copies = 1,
                                         .rate = 0.2,
                                         .gap = 1,
                                         .reports = 100,
                                         .rounds = 10,
                                         .solo = 5,
                                         .active_share = 0}}};
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(5);
  const FeatureVector x = {{0, 0.75}};
  const FeatureVector probe = {{0, 0.6}};
  std::vector<Pop::Round> rounds;
  for (int i = 0; i < 10; ++i) rounds.push_back(*pop.Open(x, "", rng));
  ASSERT_EQ(pop.phase(), 1U);
  EXPECT_EQ(*pop.Votes(probe), 1);
  // Round 0 went to generation 0, which is gone: nothing happens.
  ASSERT_TRUE(pop.Close(std::move(rounds[0]), false));
  EXPECT_EQ(*pop.Votes(probe), 1);
  // Round 7 went to generation 1, which answers now.
  ASSERT_TRUE(pop.Close(std::move(rounds[7]), false));
  EXPECT_EQ(*pop.Votes(probe), 0);
  // Two phases later round 8's generation is gone as well.
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(pop.PlayEmptyRound(rng));
  ASSERT_EQ(pop.phase(), 2U);
  ASSERT_TRUE(pop.Close(std::move(rounds[8]), false));
  EXPECT_EQ(*pop.Votes(probe), 1);
}

TEST(PrivateOnlineProcedureTest, HaltingIsFinalAndSaidPolitely) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kHalt);
  schedule.phases[0].rounds = 20;
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(6);
  const FeatureVector x = {{0, 0.5}};
  auto last = pop.Open(x, "", rng);
  while (!pop.halted()) last = pop.Open(x, "", rng);
  ASSERT_TRUE(last);
  EXPECT_TRUE(pop.Close(*std::move(last), true));
  EXPECT_LE(pop.rounds(), 20U);
  const auto refused = pop.Open(x, "", rng);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(pop.PlayEmptyRound(rng));
}

TEST(PrivateOnlineProcedureTest, AnEmptyRoundTicksAndTeachesNobody) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kRestart);
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(7);
  const FeatureVector x = {{0, 0.5}};
  const auto votes = *pop.Votes(x);
  ASSERT_TRUE(pop.PlayEmptyRound(rng));
  EXPECT_EQ(pop.rounds(), 1U);
  EXPECT_EQ(*pop.Votes(x), votes);
}

TEST(PrivateOnlineProcedureTest, AHandOverThatFailsIsSaidAndSavesNothing) {
  const PopSchedule schedule = BriskSchedule(PhaseEnd::kRestart);
  int made = 0;
  const EnsembleFactory plain = PlainThresholds();
  auto pop = Pop::Create(
      {.epsilon = 16, .delta = 0.999, .schedule = schedule},
      [&](std::uint64_t generation,
          std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
        if (++made > 1) return InvalidArgument("no more");
        return plain(generation, copies);
      });
  ASSERT_TRUE(pop);
  testing::SeededRng rng(7);
  const FeatureVector x = {{0, 0.5}};
  while (!pop->halted()) {
    if (const auto round = pop->Open(x, "", rng); !round) {
      EXPECT_EQ(round.error().message, "no more");
    }
  }
  ByteWriter writer;
  EXPECT_FALSE(pop->Save(writer));
  EXPECT_TRUE(pop->Votes(x));
}

TEST(PrivateOnlineProcedureTest, ARoundOfAnotherProcedureIsRefused) {
  PopSchedule large = BriskSchedule(PhaseEnd::kRestart);
  large.phases[0].copies = 1'000'001;
  PopSchedule small = BriskSchedule(PhaseEnd::kRestart);
  small.phases[0].copies = 1;
  Pop first = MustCreate(large);
  Pop second = MustCreate(small);
  testing::SeededRng rng(7);
  const FeatureVector x = {{0, 0.5}};
  auto round = first.Open(x, "", rng);
  ASSERT_TRUE(round);
  EXPECT_FALSE(second.Close(*std::move(round), true));
}

TEST(PrivateOnlineProcedureTest, APinnedUserTeachesOneCopy) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kRestart);
  schedule.pin_users = true;
  schedule.phases = {
      {.copies = 101, .rate = 0.2, .gap = 4, .reports = 50, .rounds = 6}};
  Pop pop = MustCreate(schedule, 16, 5);
  testing::SeededRng rng(8);
  const FeatureVector x = {{0, 0.75}};
  for (int i = 0; i < 3; ++i) {
    auto round = pop.Open(x, "ada", rng);
    ASSERT_TRUE(round);
    ASSERT_TRUE(pop.Close(*std::move(round), false));
  }
  EXPECT_EQ(*pop.Votes(x), 100);
}

TEST(PrivateOnlineProcedureTest, MistakesThatArePlannedForEndNothing) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kRestart);
  schedule.phases = {{.copies = 51, .rate = 0.1, .gap = 1, .reports = 80}};
  schedule.mistakes = 40;
  const auto rounds_of_first_phase = [](const PopSchedule& plan) {
    Pop pop = MustCreate(plan);
    testing::SeededRng rng(9);
    const FeatureVector x = {{0, 0.95}};
    while (pop.phase() == 0 && pop.rounds() < 300) {
      auto round = pop.Open(x, "", rng);
      const bool wrong = !round->prediction();
      EXPECT_TRUE(pop.Close(*std::move(round), wrong));
    }
    return pop.rounds();
  };
  EXPECT_LT(rounds_of_first_phase(schedule), 60U);
  PopSchedule allowed = schedule;
  allowed.phases[0].allowed = 100;
  EXPECT_GT(rounds_of_first_phase(allowed), 110U);
  EXPECT_LT(rounds_of_first_phase(allowed), 160U);
  PopSchedule tolerant = schedule;
  tolerant.tolerated = PopPhase::kAllExamples / 2;
  EXPECT_GT(rounds_of_first_phase(tolerant), 60U);
  EXPECT_LT(rounds_of_first_phase(tolerant), 120U);
}

// A plan whose first phase has 9 copies and whose others have 3.
PopSchedule BeginsAgain() {
  return {.handover = PhaseEnd::kStandby,
          .stopper = 1,
          .mistakes = 12,
          .phases = {{.copies = 9,
                      .rate = 0.3,
                      .gap = 1,
                      .reports = 80,
                      .rounds = 60,
                      .active_share = 0},
                     {.copies = 3,
                      .rate = 0.3,
                      .gap = 1,
                      .reports = 80,
                      .active_share = 0}}};
}

TEST(PrivateOnlineProcedureTest, TooManyMistakesBeginTheScheduleAgain) {
  Pop pop = MustCreate(BeginsAgain());
  testing::SeededRng rng(3);
  const FeatureVector x = {{0, 0.95}};
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(pop.PlayEmptyRound(rng));
  ASSERT_EQ(pop.phase(), 1U);
  EXPECT_EQ(*pop.Votes(x), 3);
  std::vector<Pop::Round> late;
  while (pop.phase() == 1 && pop.rounds() < 200) {
    late.push_back(*pop.Open(x, "", rng));
    auto round = pop.Open(x, "", rng);
    ASSERT_TRUE(round);
    const bool wrong = !round->prediction();
    ASSERT_TRUE(pop.Close(*std::move(round), wrong));
  }
  ASSERT_EQ(pop.phase(), 2U);
  // Nine copies that know nothing: the three that waited are gone, and labels
  // for them are dropped.
  EXPECT_EQ(*pop.Votes(x), 9);
  // Nor do their mistakes count in a phase that paid for others.
  const std::string before = Saved(pop);
  for (Pop::Round& round : late) {
    const bool wrong = !round.prediction();
    ASSERT_TRUE(pop.Close(std::move(round), wrong));
  }
  EXPECT_EQ(*pop.Votes(x), 9);
  EXPECT_EQ(Saved(pop), before);
}

// There are no mistakes: noise alone ends a phase, in about one of 100 rounds.
// With one number for all rounds of a chunk it would be one of 100 chunks.
TEST(PrivateOnlineProcedureTest, EveryRoundOfAChunkHasItsOwnNoise) {
  PopSchedule schedule{
      .handover = PhaseEnd::kRestart,
      .stopper = 0.5,
      .phases = {{.copies = 3, .rate = 0x1p-6, .gap = 1, .reports = 1000}}};
  schedule.mistakes = 8;
  const FeatureVector x = {{0, 0.5}};
  const std::vector<Pop::Example> examples(100, Pop::Example{x, {}});
  std::vector<Pop::Answer> answers(examples.size());
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Pop pop = MustCreate(schedule);
    testing::SeededRng rng(seed);
    ASSERT_TRUE(pop.Play(examples, answers, rng));
    ended += pop.phase() > 0 ? 1 : 0;
  }
  EXPECT_GT(ended, 10);
}

TEST(PrivateOnlineProcedureTest, ManyMistakesEndAPhaseInAgnosticMode) {
  PopSchedule schedule = BriskSchedule(PhaseEnd::kRestart);
  schedule.phases = {{.copies = 51, .rate = 0.3, .gap = 4, .reports = 80}};
  schedule.mistakes = 40;
  Pop pop = MustCreate(schedule);
  testing::SeededRng rng(9);
  const FeatureVector x = {{0, 0.95}};
  std::uint64_t rounds = 0;
  while (pop.phase() == 0 && rounds < 200) {
    auto round = pop.Open(x, "", rng);
    ASSERT_TRUE(round);
    const bool wrong = !round->prediction();
    ASSERT_TRUE(pop.Close(*std::move(round), wrong));
    ++rounds;
  }
  EXPECT_GT(rounds, 15U);
  EXPECT_LT(rounds, 70U);
}

}  // namespace
}  // namespace sotto
