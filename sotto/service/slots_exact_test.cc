// Came against never came, enumerated: the real tide, whose first release falls
// into the middle of a group, under the clock `slots` and two broken ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/base/rational.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr double kEpsilon = 1;
constexpr double kSigma = 1.5;
constexpr std::uint64_t kLevelRows = 2;  // the level ends inside a group
constexpr std::size_t kPlaces = 3;

const LabelType kNumber = {.kind = LabelType::Kind::kNumber};

// Keeps what noise would be added to.
class Kept final : public TideNoiseSource {
 public:
  explicit Kept(std::vector<std::int64_t>& seen) : seen_(seen) {}
  void Add(std::span<std::int64_t> values, Rng&) override {
    seen_.insert(seen_.end(), values.begin(), values.end());
  }

 private:
  std::vector<std::int64_t>& seen_;
};

Schema Table() {
  return *Schema::Parse(
      R"({"columns": [{"name": "a", "type": "number", "range": [0, 1]}]})",
      "schema");
}

// Places of one group: the labels of those who have one, by place.
using Group = std::map<std::size_t, double>;

// The sum that the level releases with noise, in units in which labels in
// quarters are whole: by the real class, over one group and the next round.
std::int64_t LevelSum(const Group& group) {
  const Schema schema = Table();
  std::vector<std::int64_t> level;
  std::vector<std::int64_t> rest;
  auto tide = PrivateTide::CreateWithNoise(
      {.epsilon = kEpsilon,
       .delta = 1e-4,
       .relation = Relation::kAddRemove,
       .encoding = {.schema = &schema},
       .label = kNumber,
       .schedule = {.level_rows = kLevelRows, .start_rows = 8, .batch = 8}},
      {.level = std::make_unique<Kept>(level),
       .start = std::make_unique<Kept>(rest),
       .step = std::make_unique<Kept>(rest)});
  EXPECT_TRUE(tide);
  testing::SeededRng unused(0);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const auto row = group.find(place);
    if (row == group.end()) {
      tide->PlayEmptyRound(unused);
    } else {
      EXPECT_TRUE(tide->Play(FeatureVector{{0, 0.5}},
                             Label::OfNumber(row->second), unused));
    }
  }
  EXPECT_EQ(level.size(), 1U);
  const std::int64_t unit = std::int64_t{1}
                            << (tide->calibration().level_bits - 2);
  EXPECT_EQ(level.at(0) % unit, 0);
  return level.at(0) / unit;
}

// Everything that others see of a group before the noise is added: who was
// answered from which hypothesis, in which group, and who was not; and the sum.
struct View {
  std::string seen;
  std::int64_t sum = 0;
  friend auto operator<=>(const View&, const View&) = default;
};
// Views and their probabilities.
using Distribution = std::map<View, double>;

struct Comer {
  char name;
  double label;
};
using Comers = std::vector<Comer>;

// A clock: the distribution of the others' views, for comers in this order.
using Clock = std::function<Distribution(const Comers&)>;

View Watch(const Comers& comers, const std::vector<std::size_t>& places) {
  Group group;
  std::map<char, std::string> seen;
  for (std::size_t i = 0; i < comers.size(); ++i) {
    const std::size_t place = places[i] % kPlaces;
    const std::size_t later = places[i] / kPlaces;  // a group that follows
    if (later == 0) group[place] = comers[i].label;
    if (comers[i].name == 'u') continue;
    seen[comers[i].name] = later > 0            ? "next group"
                           : place < kLevelRows ? "first"
                                                : "second";
  }
  View view{.seen = "", .sum = LevelSum(group)};
  for (const auto& [name, answer] : seen) view.seen += name + answer + ";";
  return view;
}

// The clock as it is: every order of places is equally likely.
Distribution Drawn(const Comers& comers) {
  std::vector<std::size_t> places(kPlaces);
  std::iota(places.begin(), places.end(), std::size_t{0});
  Distribution views;
  const double orders = std::tgamma(kPlaces + 1);
  do {
    views[Watch(comers, places)] += 1 / orders;
  } while (std::ranges::next_permutation(places).found);
  return views;
}

// Broken: places in the order of arrival; a surplus waits for the next group.
Distribution InOrder(const Comers& comers) {
  std::vector<std::size_t> places(comers.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return {{Watch(comers, places), 1}};
}

double Density(std::int64_t z, double variance) {
  const auto x = static_cast<double>(z);
  return std::exp(-x * x / (2 * variance));
}

// Delta at kEpsilon of view and release together.
double ComputeDelta(const Distribution& p, const Distribution& q,
                    double variance) {
  constexpr std::int64_t kReach = 120;
  double mass = 0;
  for (std::int64_t z = -kReach; z <= kReach; ++z) mass += Density(z, variance);
  std::map<std::string, std::pair<Distribution, Distribution>> by_view;
  for (const auto& [view, weight] : p) by_view[view.seen].first[view] = weight;
  for (const auto& [view, weight] : q) by_view[view.seen].second[view] = weight;
  const auto at = [&](const Distribution& views, std::int64_t z) {
    double sum = 0;
    for (const auto& [view, weight] : views) {
      sum += weight * Density(z - view.sum, variance) / mass;
    }
    return sum;
  };
  double delta = 0;
  for (const auto& [seen, both] : by_view) {
    for (std::int64_t z = -kReach; z <= kReach; ++z) {
      delta += std::max(
          0.0, at(both.first, z) - std::exp(kEpsilon) * at(both.second, z));
    }
  }
  return delta;
}

struct Noise {
  double variance = 0;
  double claim = 0;
};

// Calibrated as the class does, for labels in quarters.
Noise Calibrate(double part = 1) {
  const double reach = TideLevelSensitivity(
      {.relation = Relation::kAddRemove, .coordinates = 1, .number = true}, 2);
  const double variance =
      std::ceil(kSigma * kSigma * reach * reach * part + 1.0 / 12);
  const auto exact = Rational::Create(static_cast<std::uint64_t>(variance), 1);
  return {variance, *GaussianDelta({.sigma = kSigma}, kEpsilon) +
                        (1 + std::exp(kEpsilon)) *
                            FixedWorkGaussian::RoundedNormalDistance(*exact)};
}

// The largest delta, over all labels of u and of up to `most` others, who come
// in any order, of came against never came, in both directions.
double Worst(const Clock& clock, std::size_t most, double variance) {
  double worst = 0;
  for (const double own : {0.0, 0.25, 0.75, 1.0}) {
    for (std::size_t others = 0; others <= most; ++others) {
      for (std::size_t turn = 0; turn <= others; ++turn) {
        Comers never;
        for (std::size_t i = 0; i < others; ++i) {
          never.push_back({static_cast<char>('v' + i), i % 2 == 0 ? 1.0 : 0.0});
        }
        Comers came = never;
        came.insert(came.begin() + static_cast<std::ptrdiff_t>(turn),
                    {'u', own});
        const Distribution a = clock(came);
        const Distribution b = clock(never);
        worst = std::max({worst, ComputeDelta(a, b, variance),
                          ComputeDelta(b, a, variance)});
      }
    }
  }
  return worst;
}

TEST(SlotsExactTest, CameAgainstNeverCameIsWithinTheClaim) {
  const Noise noise = Calibrate();
  const double worst = Worst(Drawn, kPlaces - 1, noise.variance);
  EXPECT_LE(worst, noise.claim);
  EXPECT_GT(worst, 0.4 * noise.claim);  // u is in the level two times of three
  EXPECT_GT(Worst(Drawn, kPlaces - 1, Calibrate(0.25).variance), noise.claim);
}

TEST(SlotsExactTest, TheOrderOfArrivalChangesNoDistribution) {
  Comers comers = {{'u', 0.25}, {'v', 1}, {'w', 0}};
  const Distribution views = Drawn(comers);
  while (std::ranges::next_permutation(comers, {}, &Comer::name).found) {
    EXPECT_EQ(Drawn(comers), views);
  }
}

// Who comes behind u is answered from another hypothesis.
TEST(SlotsExactTest, PlacesInTheOrderOfArrivalAreRefuted) {
  EXPECT_NEAR(Worst(InOrder, kPlaces - 1, Calibrate().variance), 1, 1e-9);
}

// Who is turned away from a full group is answered in the next one, which is
// not full: the clock would print nothing of it.
TEST(SlotsExactTest, AQueueForTheSurplusIsRefuted) {
  const Clock queue = [](const Comers& comers) {
    Distribution views;
    std::vector<std::size_t> places(kPlaces);
    std::iota(places.begin(), places.end(), std::size_t{0});
    do {
      std::vector<std::size_t> all = places;
      for (std::size_t i = kPlaces; i < comers.size(); ++i) all.push_back(i);
      views[Watch(comers, all)] += 1 / std::tgamma(kPlaces + 1);
    } while (std::ranges::next_permutation(places).found);
    return views;
  };
  EXPECT_LE(Worst(queue, kPlaces - 1, Calibrate().variance), Calibrate().claim);
  EXPECT_NEAR(Worst(queue, kPlaces, Calibrate().variance), 1, 1e-9);
}

}  // namespace
}  // namespace sotto
