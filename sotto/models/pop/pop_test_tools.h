#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/random/rng.h"

namespace sotto {

// Copies of the threshold learner in the plain loop.
inline EnsembleFactory PlainThresholds() {
  return [](std::uint64_t,
            std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<ThresholdLearner>>(ThresholdLearner(),
                                                          copies));
  };
}

struct TestStream {
  std::vector<FeatureVector> x;
  std::vector<PrivateOnlineProcedure::Example> examples;

  void Add(double value, std::optional<bool> y) {
    x.push_back({{0, value}});
    examples.push_back({{}, y});
    for (std::size_t i = 0; i < x.size(); ++i) examples[i].x = x[i];
  }
};

inline double Uniform(Rng& rng) {
  return static_cast<double>(rng.Next() >> 11) * 0x1p-53;
}

// Thresholds at 0.37; every `unlabelled`-th label never comes.
inline TestStream Thresholds(std::size_t rounds, Rng& rng,
                             std::size_t unlabelled = 0) {
  TestStream stream;
  stream.x.reserve(rounds);
  stream.examples.reserve(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    const double value = Uniform(rng);
    std::optional<bool> y = value >= 0.37;
    if (unlabelled != 0 && i % unlabelled == 0) y.reset();
    stream.x.push_back({{0, value}});
    stream.examples.push_back({stream.x.back(), y});
  }
  for (std::size_t i = 0; i < rounds; ++i) stream.examples[i].x = stream.x[i];
  return stream;
}

// Little noise, short phases: nothing private about it.
inline PopSchedule BriskSchedule(PhaseEnd handover) {
  return {.handover = handover,
          .stopper = 1,
          .phases = {{.copies = 15, .rate = 1, .gap = 2, .reports = 8},
                     {.copies = 9,
                      .rate = 0.5,
                      .gap = 3,
                      .reports = 12,
                      .rounds = 90,
                      .solo = 10,
                      .active_share = 40'000}}};
}

}  // namespace sotto
