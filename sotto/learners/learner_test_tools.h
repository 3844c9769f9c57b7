#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sotto/learners/learner.h"

namespace sotto {

using TestRng = std::mt19937_64;

inline double Uniform(TestRng& rng) {
  return static_cast<double>(rng() >> 11) * 0x1p-53;
}

inline FeatureVector Number(double value) { return {{0, value}}; }

// All features listed, also those that are 0.
inline FeatureVector Dense(const std::vector<double>& values) {
  FeatureVector x;
  for (const double value : values) {
    x.push_back({static_cast<std::uint32_t>(x.size()), value});
  }
  return x;
}

inline FeatureVector RandomBits(std::size_t features, TestRng& rng) {
  std::vector<double> values(features);
  for (double& value : values) value = (rng() & 1) != 0 ? 1 : 0;
  return Dense(values);
}

// Predicts, then learns. Returns true if the prediction was wrong.
template <Learner L>
bool Errs(L& learner, FeatureView x, bool y) {
  const bool wrong = learner.Predict(x) != y;
  learner.Update(x, y);
  return wrong;
}

template <SavableLearner L>
std::string Saved(const L& learner) {
  ByteWriter out;
  learner.Save(out);
  return out.bytes();
}

// A fresh learner loads the exact state of another, and refuses a truncated
// one.
template <SavableLearner L>
void ExpectRoundTrip(const L& learner, L fresh) {
  const std::string bytes = Saved(learner);
  ASSERT_NE(bytes, Saved(fresh)) << "the state tells nothing";
  L other = fresh;
  ByteReader in(bytes);
  ASSERT_TRUE(fresh.Load(in));
  EXPECT_TRUE(in.Finish());
  EXPECT_EQ(Saved(fresh), bytes);
  ByteReader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
  const auto failed = other.Load(cut);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kCorruption);
}

}  // namespace sotto
