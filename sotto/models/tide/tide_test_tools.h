#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/models/tide/private_tide.h"
#include "sotto/testing/neighbour_replay.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {

// Replays of Tide: two worlds that differ in one user's rows are given the same
// releases; what noise is added to may then differ by the declared sensitivity,
// in all steps together, and no more.

// Hands every value to a recorder, as the noise.
class RecordedNoise final : public TideNoiseSource {
 public:
  explicit RecordedNoise(NoiseRecorder& recorder) : recorder_(recorder) {}
  void Add(std::span<std::int64_t> values, Rng&) override {
    recorder_.BeginRound();
    for (std::int64_t& value : values) value = recorder_.Add(value);
  }

 private:
  NoiseRecorder& recorder_;
};

// Noise of about 2^22, by hash.
inline std::int64_t HashNoise(int round, int index, int salt) {
  std::uint64_t x = static_cast<std::uint64_t>(round) * 1'000'003 +
                    static_cast<std::uint64_t>(index) * 7919 +
                    static_cast<std::uint64_t>(salt);
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 32)) * 0x94d049bb133111eb;
  return static_cast<std::int64_t>(x >> 40) - (1 << 23);
}

// The l2 length of the difference of what noise was added to.
inline double Distance(const NoiseRecorder& p, const NoiseRecorder& q) {
  EXPECT_EQ(p.trace().size(), q.trace().size());
  double squares = 0;
  for (std::size_t i = 0; i < p.trace().size(); ++i) {
    const auto gap =
        static_cast<double>(p.trace()[i].value - q.trace()[i].value);
    squares += gap * gap;
  }
  return std::sqrt(squares);
}

struct TideUser {
  bool present = true;
  FeatureVector x = {};
  std::optional<double> y = {};  // 0 or 1, a class, a number
  int delay = 0;                 // rounds until the label comes
};

inline Label MakeTideLabel(const LabelType& type, double y) {
  if (type.kind == LabelType::Kind::kTwo) return y > 0;
  if (type.kind == LabelType::Kind::kNumber) return Label::OfNumber(y);
  return Label::OfClass(static_cast<std::uint32_t>(y));
}

inline void PlayTideWorld(PrivateTide& tide, const LabelType& type,
                          std::span<const TideUser> users) {
  testing::SeededRng unused(0);
  std::multimap<int, std::pair<TideRound, double>> waiting;
  int t = 0;
  for (const TideUser& user : users) {
    if (!user.present) {
      tide.PlayEmptyRound(unused);
    } else {
      auto round = tide.Open(user.x, unused);
      if (round && user.y) {
        waiting.emplace(t + user.delay, std::pair(*std::move(round), *user.y));
      }
    }
    while (!waiting.empty() && waiting.begin()->first <= t) {
      auto [round, y] = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      tide.Close(std::move(round), MakeTideLabel(type, y));
    }
    ++t;
  }
}

// How far the worlds are apart, as parts of what is declared, and the shares
// that were reached.
struct TideMoved {
  double level = 0;
  double start = 0;
  double step = 0;
  std::vector<double> shares = {};
};

inline TideMoved ReplayTide(const PrivateTide::Params& params,
                            std::span<const TideUser> in_p,
                            std::span<const TideUser> in_q,
                            const NoiseTape& tape) {
  NoiseRecorder level_p(tape);
  NoiseRecorder start_p(tape);
  NoiseRecorder step_p(tape);
  auto p = PrivateTide::CreateWithNoise(
      params, {.level = std::make_unique<RecordedNoise>(level_p),
               .start = std::make_unique<RecordedNoise>(start_p),
               .step = std::make_unique<RecordedNoise>(step_p)});
  NoiseRecorder level_q(tape, level_p);
  NoiseRecorder start_q(tape, start_p);
  NoiseRecorder step_q(tape, step_p);
  auto q = PrivateTide::CreateWithNoise(
      params, {.level = std::make_unique<RecordedNoise>(level_q),
               .start = std::make_unique<RecordedNoise>(start_q),
               .step = std::make_unique<RecordedNoise>(step_q)});
  EXPECT_TRUE(p && q);
  PlayTideWorld(*p, params.label, in_p);
  PlayTideWorld(*q, params.label, in_q);
  const TideCalibration& c = p->calibration();
  const auto shares = p->hypothesis().frame.shares();
  return {Distance(level_p, level_q) /
              TideLevelSensitivity(p->privacy(), c.level_bits),
          Distance(start_p, start_q) /
              TideStartSensitivity(p->privacy(), c.start_bits),
          Distance(step_p, step_q) /
              TideStepSensitivity(p->privacy(), p->filter(), c.step_bits),
          {shares.begin(), shares.end()}};
}

}  // namespace sotto
