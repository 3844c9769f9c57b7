#include "sotto/data/streams/life_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "sotto/data/streams/generated_target.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 8> kJobs = {
    "clerk", "nurse",    "driver", "teacher",
    "cook",  "engineer", "farmer", "none"};
// The wage of each job, in hundreds a year; below, the effect on the score.
constexpr std::array<std::int64_t, 8> kWages = {320, 360, 300, 410,
                                                260, 620, 280, 90};
constexpr std::array<std::int64_t, 8> kJobScores = {5,   25, -20, 30,
                                                    -10, 60, -35, -60};
constexpr std::array<std::string_view, 5> kRegions = {"north", "south", "east",
                                                      "west", "islands"};
constexpr std::array<std::int64_t, 5> kRegionScores = {10, -15, 0, 20, -30};
constexpr std::array<std::string_view, 4> kDevices = {"phone", "tablet",
                                                      "laptop", "shop"};
constexpr std::array<std::int64_t, 4> kDeviceScores = {-10, 10, 35, -25};
constexpr std::int64_t kMostIncome = 200'000;
// Scores are in hundredths; luck is a sum of four of these, each way.
constexpr std::int64_t kLuck = 70;

struct Person {
  std::int64_t age = 0;
  std::int64_t income = 0;
  std::int64_t hours = 0;
  std::int64_t children = 0;
  std::size_t job = 0;
  std::size_t region = 0;
  std::size_t device = 0;
  bool member = false;
};

std::size_t Pick(Rng& rng, std::size_t n) {
  return static_cast<std::size_t>(Below(rng, static_cast<std::int64_t>(n)));
}

Person Draw(Rng& rng) {
  Person person;
  person.age = 18 + (Below(rng, 73) + Below(rng, 73)) / 2;
  person.job = Pick(rng, kJobs.size());
  person.region = Pick(rng, kRegions.size());
  person.device = Pick(rng, kDevices.size());
  // Skewed: a few earn much more than most.
  const std::int64_t skew = 50 + Below(rng, 100) * Below(rng, 100) / 40;
  person.income = std::min(kWages[person.job] * (60 + person.age) / 100 * skew,
                           kMostIncome);
  person.hours = person.job + 1 == kJobs.size()
                     ? Below(rng, 10)
                     : 20 + (Below(rng, 31) + Below(rng, 31)) / 2;
  person.children = Below(rng, 4) * Below(rng, 3);
  person.member = Below(rng, 100) < 10 + person.age / 3;
  return person;
}

// From -100 to 100 and back, once in two seasons.
std::int64_t SeasonAt(std::uint64_t row, std::uint64_t season) {
  if (season == 0) return -100;
  const std::uint64_t place = row % (2 * season);
  const std::uint64_t up = place < season ? place : 2 * season - place;
  return static_cast<std::int64_t>(200 * up / season) - 100;
}

// How much a person leans towards buying, in hundredths.
std::int64_t Score(const Person& person, std::int64_t season) {
  std::int64_t score = -80 + kJobScores[person.job] +
                       kRegionScores[person.region] +
                       kDeviceScores[person.device] * (150 + season) / 100;
  score += person.income / 800;
  score += person.member ? 45 : -15;
  score -= 8 * person.children;
  // The middle-aged buy most.
  const std::int64_t from_prime =
      person.age > 45 ? person.age - 45 : 45 - person.age;
  score += 30 - 2 * from_prime;
  score += (person.hours - 30) * season / 100;
  // The young buy on phones, the old do not.
  if (person.device == 0) score += person.age < 35 ? 50 : -20;
  return score;
}

std::int64_t ComputeLuck(Rng& rng) {
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += Below(rng, 2 * kLuck + 1) - kLuck;
  return sum;
}

bool Happens(double probability, Rng& rng) {
  constexpr std::int64_t kOne = std::int64_t{1} << 40;
  return Below(rng, kOne) <
         static_cast<std::int64_t>(probability * static_cast<double>(kOne));
}

Key MakeKey(const LifeStream::Params& params, std::string_view purpose) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive("life-v1", purpose, {params.seed});
}

template <std::size_t n>
std::string Quoted(const std::array<std::string_view, n>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "\"" : ",\"") + std::string(word) + "\"";
  }
  return text;
}

}  // namespace

Result<LifeStream> LifeStream::Create(const Params& params) {
  if (!(params.noise >= 0 && params.noise <= 1)) {
    return InvalidArgument("noise must be a share in [0, 1]");
  }
  if (!(params.missing >= 0 && params.missing <= 1)) {
    return InvalidArgument("missing must be a share in [0, 1]");
  }
  return LifeStream(params);
}

LifeStream::LifeStream(const Params& params)
    : params_(params),
      rows_(std::make_unique<ChaChaRng>(MakeKey(params, "rows"))),
      luck_(std::make_unique<ChaChaRng>(MakeKey(params, "luck"))) {}

std::string LifeStream::Header() {
  return "age,income,hours,children,job,region,device,member,y\n";
}

std::string LifeStream::Schema() {
  return R"({"columns":[
  {"name":"age","type":"number","range":[18,90]},
  {"name":"income","type":"number","range":[0,)" +
         std::to_string(kMostIncome) + R"(]},
  {"name":"hours","type":"number","range":[0,60]},
  {"name":"children","type":"number","range":[0,6]},
  {"name":"job","type":"category","values":[)" +
         Quoted(kJobs) + R"(]},
  {"name":"region","type":"category","values":[)" +
         Quoted(kRegions) + R"(]},
  {"name":"device","type":"category","values":[)" +
         Quoted(kDevices) + R"(]},
  {"name":"member","type":"boolean"}],
 "label":{"column":"y","negative":"no","positive":"yes"}}
)";
}

void LifeStream::AppendRow(std::string& text) {
  const Person person = Draw(*rows_);
  const std::int64_t season = SeasonAt(row_++, params_.season);
  bool buys = Score(person, season) + ComputeLuck(*luck_) > 0;
  if (Happens(params_.noise, *luck_)) buys = !buys;
  const bool known = !Happens(params_.missing, *luck_);
  for (const std::int64_t number :
       {person.age, person.income, person.hours, person.children}) {
    text += std::to_string(number) + ",";
  }
  for (const std::string_view word :
       {kJobs[person.job], kRegions[person.region], kDevices[person.device]}) {
    text += word;
    text += ',';
  }
  text += person.member ? "1," : "0,";
  if (known) text += buys ? "yes" : "no";
  text += '\n';
}

}  // namespace sotto
