#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/ensemble.h"

namespace sotto::testing {

// A random stream of rounds to play to two ensembles that must agree.
struct StreamParams {
  std::uint64_t seed = 1;
  std::size_t rounds = 1500;
  std::int64_t copies = 300;
  std::uint32_t features = 1;
  std::int64_t grid = 0;    // Values are multiples of 1 / grid; 0: any.
  double noise = 0;         // Share of wrong labels.
  std::size_t drift = 0;    // Rounds until the target moves; 0: never.
  double unlabelled = 0.2;  // Fraction of rounds that teach no copy.
};

struct TestStream {
  std::deque<FeatureVector> x;  // Features of the steps; never moves.
  std::vector<Ensemble::Step> steps;
};

// Label 1 between two random ends of a random feature: thresholds, intervals,
// stumps and, on a coarse grid, points all meet examples that fit them and
// examples that do not.
inline TestStream MakeStream(const StreamParams& params) {
  std::mt19937_64 random(params.seed);
  const auto uniform = [&] {
    return static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const auto below = [&](std::uint64_t n) { return random() % n; };
  TestStream stream;
  double low = 0;
  double high = 1;
  std::uint32_t axis = 0;
  for (std::size_t i = 0; i < params.rounds; ++i) {
    if (i == 0 || (params.drift > 0 && i % params.drift == 0)) {
      low = uniform();
      high = below(2) == 0 ? 2 : low + uniform();
      axis = static_cast<std::uint32_t>(below(params.features));
    }
    FeatureVector x;
    for (std::uint32_t f = 0; f < params.features; ++f) {
      const auto grid = static_cast<std::uint64_t>(params.grid);
      const double value = grid == 0 ? uniform()
                                     : static_cast<double>(below(grid + 1)) /
                                           static_cast<double>(grid);
      if (value != 0 || below(2) == 0) x.push_back({f, value});
    }
    const double decisive = ValueAt(x, axis);
    const bool label =
        (low <= decisive && decisive <= high) != (uniform() < params.noise);
    const bool taught = uniform() >= params.unlabelled;
    stream.x.push_back(std::move(x));
    stream.steps.push_back(
        {.x = stream.x.back(),
         .copy = taught ? static_cast<std::int64_t>(
                              below(static_cast<std::uint64_t>(params.copies)))
                        : Ensemble::Step::kNobody,
         .y = label});
  }
  return stream;
}

// Realizable, noisy, drifting, on a grid with many equal values, and all of it.
inline std::vector<StreamParams> AllStreams(std::uint32_t features) {
  return {{.seed = 1, .features = features},
          {.seed = 2, .features = features, .noise = 0.1},
          {.seed = 3, .features = features, .drift = 200},
          {.seed = 4, .features = features, .grid = 8},
          {.seed = 5, .copies = 1, .features = features, .grid = 3},
          {.seed = 6,
           .copies = 7,
           .features = features,
           .grid = 50,
           .noise = 0.3,
           .drift = 100,
           .unlabelled = 0}};
}

// Plays the steps one call at a time.
inline std::vector<std::int64_t> PlayOneByOne(
    Ensemble& ensemble, std::span<const Ensemble::Step> steps) {
  std::vector<std::int64_t> votes;
  for (const auto& step : steps) {
    const auto count = ensemble.Votes(step.x);
    EXPECT_TRUE(count) << count.error().message;
    votes.push_back(count ? *count : -1);
    if (step.copy == Ensemble::Step::kNobody) continue;
    EXPECT_TRUE(ensemble.Update(step.copy, step.x, step.y));
  }
  return votes;
}

inline std::vector<std::int64_t> PlayInBatches(
    Ensemble& ensemble, std::span<const Ensemble::Step> steps,
    std::size_t batch) {
  std::vector<std::int64_t> votes(steps.size());
  for (std::size_t i = 0; i < steps.size(); i += batch) {
    const std::size_t n = std::min(batch, steps.size() - i);
    EXPECT_TRUE(
        ensemble.Play(steps.subspan(i, n), std::span(votes).subspan(i, n)));
  }
  return votes;
}

inline std::string Saved(Ensemble& ensemble) {
  ByteWriter writer;
  EXPECT_TRUE(ensemble.Save(writer));
  return std::move(writer).bytes();
}

inline Status LoadFrom(Ensemble& ensemble, const std::string& bytes) {
  ByteReader reader(bytes);
  const Status loaded = ensemble.Load(reader);
  return loaded ? reader.Finish() : loaded;
}

// fast(copies) and naive(copies) make fresh ensembles: on every stream they
// agree vote for vote, called singly, in batches, and across Save and Load; and
// the fast one ends in the same state each time.
template <typename MakeFast, typename MakeNaive>
void ExpectEqual(const MakeFast& fast, const MakeNaive& naive,
                 std::uint32_t features) {
  for (const StreamParams& params : AllStreams(features)) {
    SCOPED_TRACE("stream " + std::to_string(params.seed));
    const TestStream stream = MakeStream(params);
    const std::span<const Ensemble::Step> steps = stream.steps;
    auto reference = naive(params.copies);
    const auto expected = PlayOneByOne(reference, steps);

    auto single = fast(params.copies);
    EXPECT_EQ(single.copies(), params.copies);
    EXPECT_EQ(PlayOneByOne(single, steps), expected);
    const std::string end = Saved(single);
    for (const std::size_t batch : {1, 7, 256, 5000}) {
      auto batched = fast(params.copies);
      EXPECT_EQ(PlayInBatches(batched, steps, batch), expected)
          << "in batches of " << batch;
      EXPECT_EQ(Saved(batched), end);
    }
    const std::size_t half = steps.size() / 2;
    auto first = fast(params.copies);
    auto votes = PlayInBatches(first, steps.first(half), 32);
    auto second = fast(params.copies);
    ASSERT_TRUE(LoadFrom(second, Saved(first)));
    const auto rest = PlayInBatches(second, steps.subspan(half), 32);
    votes.insert(votes.end(), rest.begin(), rest.end());
    EXPECT_EQ(votes, expected) << "saved and loaded half way";
    EXPECT_EQ(Saved(second), end);
  }
}

}  // namespace sotto::testing
