// How many mistakes does the private procedure make on generated thresholds,
// beside majority votes, the plain learner and the proven bound? One JSON
// document; a run's mistakes are the mean over seeds.
//
//   pop_mistakes_bench [--seeds=10] [--quick]

#include <cstdint>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/data/streams/generator.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

using nlohmann::json;

struct Setting {
  double epsilon;
  std::uint64_t rounds;
};

struct Stream {
  std::vector<Feature> x;
  std::vector<PrivateOnlineProcedure::Example> examples;
};

Stream Generate(std::uint64_t seed, std::uint64_t rounds) {
  auto generator = Must(StreamGenerator::Create({.seed = seed}));
  Stream stream;
  stream.x.resize(rounds);
  stream.examples.resize(rounds);
  Round example;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    generator.Next(example);
    if (!example.x.empty()) stream.x[i] = example.x[0];
    stream.examples[i] = {FeatureView(&stream.x[i], 1), example.y->positive()};
  }
  return stream;
}

struct Outcome {
  double mistakes = 0;
  double paid = 0;
  double phases = 0;
};

Outcome RunOnce(const PopPlan& plan, const Setting& setting,
                const Stream& stream, std::uint64_t seed) {
  const auto spec = Must(LearnerSpec::Parse("threshold"));
  auto pop = Must(PrivateOnlineProcedure::Create(
      {.epsilon = setting.epsilon, .delta = 1e-6, .schedule = plan.schedule},
      Must(MakeEnsembleFactory(spec, {}))));
  testing::SeededRng rng(seed);
  std::vector<PrivateOnlineProcedure::Answer> answers(stream.examples.size());
  Must(pop.Play(stream.examples, answers, rng));
  Outcome outcome{.phases = static_cast<double>(pop.phase() + 1)};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    outcome.mistakes += answers[i].prediction != *stream.examples[i].y ? 1 : 0;
    outcome.paid += answers[i].paid ? 1 : 0;
  }
  return outcome;
}

double PlainMistakes(const Stream& stream) {
  ThresholdLearner learner;
  double mistakes = 0;
  for (const auto& example : stream.examples) {
    mistakes += learner.Predict(example.x) != *example.y ? 1 : 0;
    learner.Update(example.x, *example.y);
  }
  return mistakes;
}

json Measure(const PopPlan& plan, const Setting& setting, std::uint64_t seeds) {
  Outcome sum;
  double plain = 0;
  const Sample sample = Repeat(seeds, [&](std::uint64_t seed) {
    const Stream stream = Generate(seed, setting.rounds);
    const Outcome one = RunOnce(plan, setting, stream, 1000 + seed);
    sum.paid += one.paid;
    sum.phases += one.phases;
    plain += PlainMistakes(stream);
    return one.mistakes;
  });
  const auto n = static_cast<double>(seeds);
  json row = {{"mistakes", sample.mean},
              {"deviation", sample.deviation},
              {"expected_by_plan", plan.expected.mistakes},
              {"paid", sum.paid / n},
              {"phases", sum.phases / n},
              {"plain_learner_mistakes", plain / n},
              {"stopper", plan.schedule.stopper}};
  for (const PopPhase& phase : plan.schedule.phases) {
    row["schedule"].push_back(
        {{"copies", phase.copies},
         {"noise_scale", 1 / phase.rate},
         {"gap", phase.gap},
         {"reports", phase.reports},
         {"rounds", phase.rounds},
         {"solo", phase.solo},
         {"active_share",
          static_cast<double>(phase.active_share) / PopPhase::kAllExamples}});
  }
  return row;
}

PopPlanRequest MakeRequest(const Setting& setting) {
  return {.epsilon = setting.epsilon,
          .delta = 1e-6,
          .behaviour = {.rounds = setting.rounds}};
}

json Row(const Setting& setting, std::uint64_t seeds) {
  json row = {{"epsilon", setting.epsilon}, {"rounds", setting.rounds}};
  PopPlanRequest request = MakeRequest(setting);
  row["sotto"] = Measure(Must(PlanPop(request)), setting, seeds);
  request.variant = PopVariant::kMajority;
  request.handover = PhaseEnd::kRestart;
  row["majority"] = Measure(Must(PlanPop(request)), setting, 1);
  // The bound is for a class whose learners make at most one mistake, such as
  // points. Thresholds on a grid of 2^53 have no useful bound.
  request = MakeRequest(setting);
  request.goal = PopGoal::kBound;
  request.mistake_bound = 1;
  const PopPlan bound = Must(PlanPop(request));
  row["proved_for_mistake_bound_1"] =
      bound.mistakes_bound ? json(*bound.mistakes_bound) : json(nullptr);
  return row;
}

void Run(const Flags& flags) {
  std::vector<Setting> settings = {{1, 1'000'000}, {3, 1'000'000}};
  if (!flags.On("quick")) settings.push_back({1, 10'000'000});
  json rows;
  for (const Setting& setting : settings) {
    rows.push_back(Row(setting, flags.Count("seeds")));
  }
  PrintJson(rows);
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run({argc, argv, {{"seeds", "10"}, {"quick", ""}}});
}
