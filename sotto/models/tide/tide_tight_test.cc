// Neighbours as far apart as they can be: the declared sensitivity covers them,
// and little of it is left over, so that a smaller one would be refuted.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/models/tide/tide_test_tools.h"

namespace sotto {
namespace {

constexpr std::size_t kStart = 30;
constexpr std::size_t kBatch = 6;
constexpr std::size_t kLevel = 20;  // numbers only

const LabelType kTwo = {};
const LabelType kThree = {.kind = LabelType::Kind::kClasses,
                          .names = {"a", "b", "c"}};
const LabelType kNumber = {.kind = LabelType::Kind::kNumber};

Schema Parsed(const char* columns) {
  return *Schema::Parse(R"({"columns": [)" + std::string(columns) + "]}",
                        "schema");
}

const Schema& OneNumber() {
  static const Schema kSchema =
      Parsed(R"({"name": "u", "type": "number", "range": [0, 1]})");
  return kSchema;
}

const Schema& TwoBooleans() {
  static const Schema kSchema = Parsed(R"({"name": "a", "type": "boolean"},
                                         {"name": "b", "type": "boolean"})");
  return kSchema;
}

std::size_t LevelRows(const LabelType& type) {
  return type.kind == LabelType::Kind::kNumber ? kLevel : 0;
}

// Steps so small that every score stays at 0 and errors at their longest.
PrivateTide::Params Still(const Schema* schema, const LabelType& type,
                          Relation relation = Relation::kReplace) {
  TideEncoding::Params encoding = {.schema = schema};
  if (schema == nullptr) encoding.features = 6;
  return {.epsilon = 16,
          .delta = 1e-3,
          .relation = relation,
          .encoding = encoding,
          .label = type,
          .schedule = {.level_rows = LevelRows(type),
                       .start_rows = kStart,
                       .batch = kBatch,
                       .rate = 1e-9,
                       .first_rate = 1e-9,
                       .memory = 4}};
}

// All alike, labels 0 and 1 in turn.
std::vector<TideUser> Alike(std::size_t rounds, const FeatureVector& x) {
  std::vector<TideUser> users(rounds, {.x = x});
  for (std::size_t t = 0; t < rounds; ++t) {
    users[t].y = static_cast<double>(t % 2);
  }
  return users;
}

std::int64_t Silent(int, int) { return 0; }
std::int64_t Loud(int round, int index) { return HashNoise(round, index, 3); }

// The worlds differ in the user at one place after the level's rows.
TideMoved Apart(const PrivateTide::Params& params, std::vector<TideUser> users,
                std::size_t place, const TideUser& p, const TideUser& q,
                const NoiseTape& tape = Silent) {
  const std::size_t level = LevelRows(params.label);
  const std::vector<TideUser> first = Alike(level, users[0].x);
  users.insert(users.begin(), first.begin(), first.end());
  std::vector<TideUser> others = users;
  users[level + place] = p;
  others[level + place] = q;
  const TideMoved moved = ReplayTide(params, users, others, tape);
  EXPECT_EQ(moved.level, 0);
  return moved;
}

constexpr std::size_t kLate = kStart + 7 * kBatch + 2;

TEST(TideTightTest, AnotherLabelUsesNearlyAllOfTheSensitivity) {
  const FeatureVector x = {{0, 1}};
  for (const LabelType& type : {kTwo, kNumber}) {
    for (const Schema* schema :
         {&OneNumber(), &TwoBooleans(), static_cast<const Schema*>(nullptr)}) {
      const TideMoved moved = Apart(Still(schema, type), Alike(300, x), kLate,
                                    {.x = x, .y = 0}, {.x = x, .y = 1});
      EXPECT_EQ(moved.start, 0);
      EXPECT_LE(moved.step, 1);
      EXPECT_GT(moved.step, 0.97);
    }
  }
}

// Once the third class is out, errors of the other two are opposite.
TEST(TideTightTest, AnotherClassUsesNearlyAllOfTheSensitivity) {
  const FeatureVector x = {{0, 1}};
  for (const Schema* schema :
       {&TwoBooleans(), static_cast<const Schema*>(nullptr)}) {
    PrivateTide::Params params = Still(schema, kThree);
    params.schedule.rate = params.schedule.first_rate = 4;
    const TideMoved moved =
        Apart(params, Alike(600, x), 400, {.x = x, .y = 0}, {.x = x, .y = 1});
    EXPECT_LE(moved.step, 1);
    EXPECT_GT(moved.step, 0.97);
  }
}

TEST(TideTightTest, AnAbsentRowUsesNearlyAllUnderAddRemove) {
  const FeatureVector x = {{0, 1}};
  const TideUser gone = {.present = false};
  for (const LabelType& type : {kTwo, kThree, kNumber}) {
    for (const Schema* schema :
         {&OneNumber(), &TwoBooleans(), static_cast<const Schema*>(nullptr)}) {
      const auto params = Still(schema, type, Relation::kAddRemove);
      const TideUser here = {.x = x, .y = 0};
      const TideMoved step = Apart(params, Alike(300, x), kLate, here, gone);
      EXPECT_LE(step.step, 1);
      EXPECT_GT(step.step, 0.97);
      const TideMoved start = Apart(params, Alike(60, x), 4, here, gone);
      EXPECT_EQ(start.step, 0);
      EXPECT_LE(start.start, 1);
      EXPECT_GT(start.start, 0.999);
    }
  }
}

// The corners of step 2: opposite rows with one label where rows have signs,
// and other rows with opposite labels where they have none.
TEST(TideTightTest, TheFarthestRowsUseNearlyAllOfTheStart) {
  const auto moved = [](const Schema* schema, const LabelType& type,
                        const TideUser& p, const TideUser& q) {
    const TideMoved apart =
        Apart(Still(schema, type), Alike(60, p.x), kStart - 1, p, q);
    EXPECT_EQ(apart.step, 0);
    return apart.start;
  };
  const FeatureVector low = {{0, 0}};
  const FeatureVector high = {{0, 1}};
  const FeatureVector minus = {{0, -1}};
  const FeatureVector both = {{0, 1}, {1, 1}};
  for (const LabelType& type : {kTwo, kThree}) {
    for (const double found :
         {moved(&OneNumber(), type, {.x = low, .y = 1}, {.x = high, .y = 1}),
          moved(nullptr, type, {.x = minus, .y = 0}, {.x = high, .y = 0})}) {
      EXPECT_LE(found, 1);
      EXPECT_GT(found, 0.999);
    }
  }
  const double found =
      moved(&TwoBooleans(), kTwo, {.x = {}, .y = 0}, {.x = both, .y = 1});
  EXPECT_LE(found, 1);
  EXPECT_GT(found, 0.999);
  // Numbers: errors as long as can be, and gaps as different as they then are.
  constexpr double kNear = 1.0 / 16;
  for (const double number :
       {moved(&OneNumber(), kNumber, {.x = low, .y = 0.5 + kNear},
              {.x = high, .y = 1}),
        moved(nullptr, kNumber, {.x = minus, .y = 0.5 - kNear},
              {.x = high, .y = 0}),
        moved(&TwoBooleans(), kNumber, {.x = {}, .y = 0.5 - kNear},
              {.x = both, .y = 1})}) {
    EXPECT_LE(number, 1);
    EXPECT_GT(number, 0.97);
  }
}

// A label against none, on opposite rows: the row's vector with its error and
// the count of its label, of what is declared.
TEST(TideTightTest, ALabelThatIsMissingInTheStartIsInside) {
  const FeatureVector low = {{0, 0}};
  const FeatureVector high = {{0, 1}};
  constexpr double kKappa = 0.5;  // of one number
  const double squares = 2 + 0.25 + 2 * kKappa + kTideBias * kTideBias / 4 +
                         kTideStartCount * kTideStartCount;
  const double declared = (1 + 0.25) * (2 + 2 * kKappa);
  const TideMoved moved = Apart(Still(&OneNumber(), kTwo), Alike(60, low), 3,
                                {.x = low, .y = 1}, {.x = high, .y = {}});
  EXPECT_EQ(moved.step, 0);
  EXPECT_NEAR(moved.start, std::sqrt(squares / declared), 1e-3);
}

// The ends of the range, and a label against none.
TEST(TideTightTest, TheFarthestLabelsUseAllOfTheLevel) {
  const FeatureVector x = {{0, 1}};
  std::vector<TideUser> users = Alike(200, x);
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    const bool replace = relation == Relation::kReplace;
    const auto params = Still(&TwoBooleans(), kNumber, relation);
    for (const std::size_t place : {std::size_t{0}, kLevel - 1}) {
      std::vector<TideUser> others = users;
      users[place] = {.x = x, .y = 1};
      others[place] = {.present = replace, .x = x, .y = 0};
      const TideMoved moved = ReplayTide(params, users, others, Silent);
      EXPECT_LE(moved.level, 1);
      EXPECT_GT(moved.level, 0.999999);
      EXPECT_EQ(moved.start, 0);
      EXPECT_EQ(moved.step, 0);
    }
  }
}

// The row's batch has no other row, so that its label decides every sign in it:
// if any of them decided what is forgotten, all of the noise would move.
TEST(TideTightTest, EpochsEndWhateverTheDataAre) {
  const FeatureVector x = {{0, 1}};
  const PrivateTide::Params params = Still(&TwoBooleans(), kTwo);
  const std::size_t epoch = TideFilter::ForMemory(4).epoch;
  for (std::size_t batch = epoch - 2; batch <= 2 * epoch + 1; ++batch) {
    const std::size_t first = kStart + batch * kBatch;
    std::vector<TideUser> users = Alike(kStart + 60 * kBatch, x);
    for (std::size_t i = 0; i < kBatch; ++i) users[first + i].present = false;
    const TideMoved moved = Apart(params, users, first + 3, {.x = x, .y = 0},
                                  {.x = x, .y = 1}, Loud);
    EXPECT_LE(moved.step, 1) << batch;
    EXPECT_GT(moved.step, 0.97) << batch;
  }
}

// As the exact games of tide_drop_test.cc have it: the last number of a step is
// the count of the labels that came in its batch, in units of 1/16 of a row's
// longest difference; labels of the start that come after it are in none.
TEST(TideTightTest, TheLastNumberOfAStepCountsTheLabelsThatCame) {
  const PrivateTide::Params params = Still(&TwoBooleans(), kTwo);
  std::vector<TideUser> users = Alike(kStart + 8 * kBatch + 1, {{0, 1}});
  std::vector<int> came(8, 0);
  for (std::size_t t = 0; t < users.size(); ++t) {
    users[t].delay = static_cast<int>(t * 7 % 23);
    if (t % 5 == 0) users[t].y.reset();
    const std::size_t end = t + static_cast<std::size_t>(users[t].delay);
    if (users[t].y && t >= kStart && end < kStart + 8 * kBatch) {
      ++came[(end - kStart) / kBatch];
    }
  }
  NoiseRecorder start(Silent);
  NoiseRecorder step(Silent);
  auto tide = *PrivateTide::CreateWithNoise(
      params, {.start = std::make_unique<RecordedNoise>(start),
               .step = std::make_unique<RecordedNoise>(step)});
  PlayTideWorld(tide, kTwo, users);
  const std::size_t size = tide.privacy().coordinates + 1;
  ASSERT_EQ(step.trace().size(), came.size() * size);
  const double unit = std::ldexp(1.0 / 16, tide.calibration().step_bits);
  for (std::size_t k = 0; k < came.size(); ++k) {
    EXPECT_EQ(static_cast<double>(step.trace()[(k + 1) * size - 1].value),
              came[k] * unit)
        << k;
  }
}

// Shares change for the first time after round 1,500: the rows of the batch
// that is released then were measured in the old ones.
TEST(TideTightTest, ABatchIsTakenInTheSharesThatItsRowsWereMeasuredIn) {
  const PrivateTide::Params params = Still(&TwoBooleans(), kTwo);
  // The first column says the label, the second is always set.
  std::vector<TideUser> users(1800);
  for (std::size_t t = 0; t < users.size(); ++t) {
    users[t].y = static_cast<double>(t % 2);
    users[t].x = {{0, *users[t].y}, {1, 1}};
  }
  for (std::size_t place = 1497; place < 1503; ++place) {
    TideUser other = users[place];
    other.y = 1 - *other.y;
    const TideMoved moved = Apart(params, users, place, users[place], other);
    EXPECT_GT(moved.shares[0], 0.58);
    EXPECT_LE(moved.step, 1) << place;
    EXPECT_GT(moved.step, 0.97) << place;
  }
}

// Two of the six pairs of four columns are dropped after round 1,500: rows of
// before and after, and rows of before whose labels come after, are covered. In
// loud noise the releases choose the pairs, whatever the data say.
TEST(TideTightTest, ADroppedPairIsInNoReleaseAfterIt) {
  const Schema four = Parsed(R"({"name": "a", "type": "boolean"},
                                {"name": "b", "type": "boolean"},
                                {"name": "c", "type": "boolean"},
                                {"name": "d", "type": "boolean"})");
  PrivateTide::Params params = Still(&four, kTwo);
  params.encoding.pairs = true;
  params.schedule.halving = 1;
  std::vector<TideUser> users(1800);
  for (std::size_t t = 0; t < users.size(); ++t) {
    users[t].y = static_cast<double>(t % 2);
    users[t].x = {
        {0, *users[t].y}, {1, 1}, {3, static_cast<double>(t / 2 % 2)}};
  }
  for (const std::size_t place :
       {std::size_t{1490}, std::size_t{1499}, std::size_t{1500},
        std::size_t{1501}, std::size_t{1506}, std::size_t{1600}}) {
    for (const int delay : {0, 20}) {
      TideUser own = users[place];
      own.delay = delay;
      TideUser other = own;
      other.y = 1 - *other.y;
      const TideMoved moved = Apart(params, users, place, own, other,
                                    place % 2 == 0 ? Silent : Loud);
      const auto dropped = std::ranges::count(moved.shares, 0.0);
      EXPECT_EQ(dropped, 2);
      EXPECT_LE(moved.step, 1) << place << " " << delay;
      EXPECT_GT(moved.step, 0.96) << place << " " << delay;
    }
  }
}

}  // namespace
}  // namespace sotto
