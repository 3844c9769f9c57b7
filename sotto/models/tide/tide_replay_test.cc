// Two worlds that differ in one user's rows are given the same releases; what
// noise is added to may then differ by the declared sensitivity, in all steps
// together, and no more.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/models/tide/private_tide.h"
#include "sotto/testing/neighbour_replay.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// Hands every value to a recorder, as the noise.
class Recorded final : public TideNoiseSource {
 public:
  explicit Recorded(NoiseRecorder& recorder) : recorder_(recorder) {}
  void Add(std::span<std::int64_t> values, Rng&) override {
    recorder_.BeginRound();
    for (std::int64_t& value : values) value = recorder_.Add(value);
  }

 private:
  NoiseRecorder& recorder_;
};

std::int64_t Hash(int round, int index, int salt) {
  std::uint64_t x = static_cast<std::uint64_t>(round) * 1'000'003 +
                    static_cast<std::uint64_t>(index) * 7919 +
                    static_cast<std::uint64_t>(salt);
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 32)) * 0x94d049bb133111eb;
  return static_cast<std::int64_t>(x >> 40) - (1 << 23);
}

// The l2 length of the difference of what noise was added to.
double Distance(const NoiseRecorder& p, const NoiseRecorder& q) {
  EXPECT_EQ(p.trace().size(), q.trace().size());
  double squares = 0;
  for (std::size_t i = 0; i < p.trace().size(); ++i) {
    const auto gap =
        static_cast<double>(p.trace()[i].value - q.trace()[i].value);
    squares += gap * gap;
  }
  return std::sqrt(squares);
}

Schema Table() {
  return *Schema::Parse(R"({"columns": [
      {"name": "kind", "type": "category", "values": ["a", "b", "c"]},
      {"name": "size", "type": "number", "range": [0, 1]},
      {"name": "flag", "type": "boolean"}]})",
                        "schema");
}

struct User {
  bool present = true;
  FeatureVector x;
  std::optional<double> y;
  int delay = 0;  // rounds until the label comes
};

User Draw(Rng& rng, const LabelType& type) {
  User user;
  const auto kind = static_cast<std::uint32_t>(rng.Next() % 3);
  const double u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
  user.x = {{kind, 1}, {3, u}, {4, static_cast<double>(rng.Next() % 2)}};
  user.y = type.kind == LabelType::Kind::kNumber
               ? u
               : static_cast<double>(rng.Next() % type.classes());
  user.delay = rng.Next() % 4 == 0 ? static_cast<int>(rng.Next() % 30) : 0;
  return user;
}

Label LabelOf(const LabelType& type, double y) {
  if (type.kind == LabelType::Kind::kTwo) return y > 0;
  if (type.kind == LabelType::Kind::kNumber) return Label::OfNumber(y);
  return Label::OfClass(static_cast<std::uint32_t>(y));
}

constexpr int kRounds = 260;
constexpr int kStart = 30;

void PlayWorld(PrivateTide& tide, const LabelType& type,
               const std::vector<User>& users) {
  testing::SeededRng unused(0);
  std::multimap<int, std::pair<TideRound, double>> waiting;
  for (int t = 0; t < kRounds; ++t) {
    const User& user = users[static_cast<std::size_t>(t)];
    if (!user.present) {
      tide.Tick(unused);
    } else {
      auto round = tide.Open(user.x, unused);
      if (round && user.y) {
        waiting.emplace(t + user.delay, std::pair(*std::move(round), *user.y));
      }
    }
    while (!waiting.empty() && waiting.begin()->first <= t) {
      auto [round, y] = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      tide.Close(std::move(round), LabelOf(type, y));
    }
  }
}

struct Moved {
  double start;  // of the declared sensitivity
  double step;
};

// Replays two worlds whose users differ as `change` says, with noise that is
// `quiet` times less.
Moved Replay(LabelType type, std::uint64_t rounds_per_user, int salt,
             const std::function<void(std::vector<User>&)>& change,
             std::int64_t quiet = 1) {
  const Schema schema = Table();
  const PrivateTide::Params params = {
      .epsilon = 4,
      .delta = 1e-4,
      .rounds_per_user = rounds_per_user,
      .encoding = {.schema = &schema, .pairs = salt % 2 == 1},
      .label = type,
      .schedule = {.start_rows = kStart, .batch = 5, .memory = 4}};
  testing::SeededRng rng(static_cast<std::uint64_t>(salt));
  std::vector<User> users;
  for (int t = 0; t < kRounds; ++t) users.push_back(Draw(rng, type));
  const auto tape = [salt, quiet](int round, int index) {
    return Hash(round, index, salt) / quiet;
  };
  NoiseRecorder start_p(tape);
  NoiseRecorder step_p(tape);
  auto p =
      PrivateTide::CreateWithNoise(params, std::make_unique<Recorded>(start_p),
                                   std::make_unique<Recorded>(step_p));
  EXPECT_TRUE(p);
  PlayWorld(*p, type, users);
  change(users);
  NoiseRecorder start_q(tape, start_p);
  NoiseRecorder step_q(tape, step_p);
  auto q =
      PrivateTide::CreateWithNoise(params, std::make_unique<Recorded>(start_q),
                                   std::make_unique<Recorded>(step_q));
  PlayWorld(*q, type, users);
  const TideCalibration& c = p->calibration();
  return {Distance(start_p, start_q) /
              TideStartSensitivity(p->privacy(), c.start_bits),
          Distance(step_p, step_q) /
              TideStepSensitivity(p->privacy(), p->filter(), c.step_bits)};
}

const LabelType kTwo = {};
const LabelType kThree = {.kind = LabelType::Kind::kClasses,
                          .names = {"a", "b", "c"}};
const LabelType kNumber = {.kind = LabelType::Kind::kNumber};

TEST(TideReplayTest, ARowOfAStepMovesStepsOnlyAndNotTooFar) {
  int salt = 0;
  for (const LabelType& type : {kTwo, kThree, kNumber}) {
    for (const int place : {kStart, 97, 251}) {
      const Moved moved =
          Replay(type, 1, ++salt, [&](std::vector<User>& users) {
            testing::SeededRng rng(static_cast<std::uint64_t>(1000 + salt));
            users[static_cast<std::size_t>(place)] = Draw(rng, type);
          });
      EXPECT_EQ(moved.start, 0);
      EXPECT_LE(moved.step, 1) << place;
    }
  }
}

TEST(TideReplayTest, ARowOfTheStartMovesTheStartOnlyAndNotTooFar) {
  int salt = 50;
  for (const LabelType& type : {kTwo, kThree, kNumber}) {
    for (const int place : {0, kStart - 1}) {
      const Moved moved =
          Replay(type, 1, ++salt, [&](std::vector<User>& users) {
            auto& user = users[static_cast<std::size_t>(place)];
            user.x = {{0, 1}, {3, user.x[1].value < 0.5 ? 1.0 : 0.0}};
            if (salt % 2 == 0) user.delay = 100;
          });
      EXPECT_EQ(moved.step, 0);
      EXPECT_LE(moved.start, 1) << place;
      EXPECT_GT(moved.start, 0.2) << place;
    }
  }
}

TEST(TideReplayTest, TheTimeOfALabelIsCoveredAndSoIsAnAbsentRow) {
  for (const int place : {40, 111}) {
    for (const int delay : {7, 60, 10'000}) {
      const Moved moved = Replay(kTwo, 1, place, [&](std::vector<User>& users) {
        auto& user = users[static_cast<std::size_t>(place)];
        user.delay = delay;
        user.y = 1 - *user.y;
      });
      EXPECT_EQ(moved.start, 0);
      EXPECT_LE(moved.step, 1);
    }
    const Moved gone = Replay(kTwo, 1, place, [&](std::vector<User>& users) {
      users[static_cast<std::size_t>(place)].present = false;
    });
    EXPECT_LE(gone.step, 0.6);
    const Moved faulty = Replay(kTwo, 1, place, [&](std::vector<User>& users) {
      users[static_cast<std::size_t>(place)].x = {{3, std::nan("")}};
    });
    EXPECT_EQ(faulty.step, gone.step);
  }
}

TEST(TideReplayTest, AllRowsOfAUserTogetherAreCovered) {
  const std::vector<std::size_t> places = {3, 29, 44, 45, 180};
  const Moved moved =
      Replay(kTwo, places.size(), 7, [&](std::vector<User>& users) {
        for (const std::size_t place : places) {
          users[place].y = 1 - *users[place].y;
          users[place].x = {{1, 1}, {3, 1 - users[place].x[1].value}};
        }
      });
  EXPECT_LE(std::hypot(moved.start, moved.step), 1);
  EXPECT_GT(moved.step, 0.1);
}

TEST(TideReplayTest, AFlippedLabelUsesNearlyAllOfTheSensitivity) {
  const Moved moved = Replay(
      kTwo, 1, 2,
      [](std::vector<User>& users) { users[kStart].y = 1 - *users[kStart].y; },
      1 << 20);
  EXPECT_LE(moved.step, 1);
  EXPECT_GT(moved.step, 0.8);
}

// The steps alone, by hand, over two columns of two values, with one fault.
enum class Fault {
  kNone,
  kNotClipped,
  kMeanOfSameRows,
  kTwoBatches,
  kSharesFromData,
};

class Steps {
 public:
  static constexpr int kBits = 14;
  static constexpr double kClip = 0.5;

  Steps(Fault fault, NoiseRecorder& recorder)
      : fault_(fault),
        source_(recorder),
        encoding_(*TideEncoding::Create({.schema = &Columns()})),
        frame_(encoding_),
        batch_(encoding_.coordinates(), 1),
        noise_(TideFilter::ForMemory(4), encoding_.coordinates()) {}

  static const Schema& Columns() {
    static const Schema schema = *Schema::Parse(
        R"({"columns": [{"name": "a", "type": "boolean"},
                        {"name": "b", "type": "boolean"}]})",
        "schema");
    return schema;
  }

  static double Declared() {
    return TideStepSensitivity({.coordinates = 5, .max_entries = 2},
                               TideFilter::ForMemory(4), kBits);
  }

  // `residual` is p - y, up to 1 either way.
  void Add(bool a, bool b, double residual) {
    std::vector<TideFeature> row;
    encoding_.Encode(FeatureVector{{0, a ? 1.0 : 0.0}, {1, b ? 1.0 : 0.0}},
                     row);
    const double e = fault_ == Fault::kNotClipped
                         ? residual
                         : std::clamp(residual, -kClip, kClip);
    AddRow(row, e);
    if (fault_ == Fault::kTwoBatches) again_.emplace_back(row, e);
    rows_.push_back(row);
  }

  void Release() {
    if (fault_ == Fault::kMeanOfSameRows) UseMeansOfRows();
    if (fault_ == Fault::kSharesFromData) UseSharesOfRows();
    std::vector<std::int64_t> gradient(encoding_.coordinates());
    batch_.Take(frame_, kTideFineBits, gradient);
    testing::SeededRng unused(0);
    noise_.Release(gradient, source_, unused);
    rows_.clear();
    for (const auto& [row, e] : std::exchange(again_, {})) AddRow(row, e);
  }

 private:
  void AddRow(const std::vector<TideFeature>& row, double e) {
    batch_.Add(row, {&e, 1},
               std::ldexp(frame_.InverseLength(row), kBits + kTideFineBits));
  }
  void UseMeansOfRows() {
    std::vector<double> means(encoding_.coordinates(), 0.0);
    for (const auto& row : rows_) {
      for (const TideFeature& f : row) {
        means[f.index] += f.value / static_cast<double>(rows_.size());
      }
    }
    frame_.SetMeans(means);
  }
  // The column whose first row is set counts for all.
  void UseSharesOfRows() {
    const bool first = !rows_.empty() && rows_.back()[0].index == 2;
    frame_.SetShares(
        std::vector<double>{first ? 0.95 : 0.05, first ? 0.05 : 0.95});
  }

  Fault fault_;
  Recorded source_;
  TideEncoding encoding_;
  TideFrame frame_;
  TideBatch batch_;
  TideNoise noise_;
  std::vector<std::vector<TideFeature>> rows_;
  std::vector<std::pair<std::vector<TideFeature>, double>> again_;
};

// Five batches of eight rows; one row of the second differs.
double MovedBy(Fault fault) {
  const auto run = [fault](World world, NoiseRecorder& noise) {
    Steps steps(fault, noise);
    for (int k = 0; k < 5; ++k) {
      for (int i = 0; i < 8; ++i) {
        const bool differs = k == 1 && i == 7;
        const bool other = differs && world == World::kQ;
        steps.Add(differs && !other, true, other ? -1 : 1);
      }
      steps.Release();
    }
  };
  const auto tape = [](int round, int index) { return Hash(round, index, 5); };
  NoiseRecorder p(tape);
  run(World::kP, p);
  NoiseRecorder q(tape, p);
  run(World::kQ, q);
  return Distance(p, q) / Steps::Declared();
}

TEST(TideReplayTest, BrokenTwinsMoveFurtherThanDeclared) {
  EXPECT_LE(MovedBy(Fault::kNone), 1);
  EXPECT_GT(MovedBy(Fault::kNone), 0.7);
  EXPECT_GT(MovedBy(Fault::kNotClipped), 1.2);
  EXPECT_GT(MovedBy(Fault::kMeanOfSameRows), 1.1);
  EXPECT_GT(MovedBy(Fault::kTwoBatches), 1.2);
  EXPECT_GT(MovedBy(Fault::kSharesFromData), 1.2);
}

}  // namespace
}  // namespace sotto
