// The leakage attack against every online model of the registry: an adversary
// with arbitrary queries must not be able to name a point that another user
// asked.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <sstream>
#include <string>

#include "sotto/audit/games/leakage_adversaries.h"
#include "sotto/audit/games/leakage_game.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// The entry's own example, with phases short enough that what was asked in one
// is used in the next while the attack continues.
Settings ParseSettings(const OnlineModelEntry& entry) {
  Settings settings(Session::Options(entry));
  std::istringstream words{std::string(entry.example)};
  std::string word;
  while (words >> word) {
    const Option* option = word.starts_with("--")
                               ? FindOption(settings.table(), word.substr(2))
                               : nullptr;
    if (option == nullptr) continue;
    const std::string name(option->name);
    if (option->type == OptionType::kFlag) {
      EXPECT_TRUE(settings.Set(name, "true"));
      continue;
    }
    words >> word;
    EXPECT_TRUE(settings.Set(name, word));
  }
  for (const auto& [name, value] : {std::pair("anyway", "true"),
                                    {"features", "1"},
                                    {"copies", "61"},
                                    {"teachers", "61"},
                                    {"reports", "20"},
                                    {"phase-rounds", "40"},
                                    {"first-epoch", "10"}}) {
    if (FindOption(settings.table(), name) == nullptr) continue;
    EXPECT_TRUE(settings.Set(name, value)) << name;
  }
  return settings;
}

InputSpec OneNumber(const OnlineModelEntry& entry) {
  InputSpec inputs{.features = 1, .dense = 1, .print = "p"};
  inputs.names = {"x"};
  inputs.label.kind = entry.labels.front();
  if (inputs.label.kind == LabelType::Kind::kClasses) {
    inputs.label.names = {"0", "1"};
  }
  return inputs;
}

class SessionTarget {
 public:
  explicit SessionTarget(Session& session) : session_(session) {}

  Result<std::int64_t> Step(const LeakageInput& input, Rng&) {
    if (session_.halted()) return 0;
    Round round{.x = {{0, input.x()}}};
    if (input.label) round.y = Label(*input.label);
    const auto played = session_.Play(std::span(&round, 1));
    if (!played) return played.error();
    return round.prediction && *round.prediction == Label(true) ? 1 : 0;
  }

 private:
  Session& session_;
};

// A few labelled rows of a threshold, for models that start from them.
RoundSource LabelledRows() {
  return [i = 0](Round& round) mutable -> Result<bool> {
    if (i == 200) return false;
    const double x = (i++ * 37 % 200) / 200.0;
    round = {.x = {{0, x}}, .y = Label(x >= 0.5)};
    return true;
  };
}

constexpr std::uint64_t kChallenges = 60;

class LeakageTest : public ::testing::TestWithParam<const OnlineModelEntry*> {};

TEST_P(LeakageTest, NobodyCanNameAPointThatAnotherAsked) {
  const OnlineModelEntry& entry = *GetParam();
  const Settings settings = ParseSettings(entry);
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{3};
  auto first =
      Session::Create(entry, settings, OneNumber(entry), Key::FromBytes(bytes));
  ASSERT_TRUE(first) << first.error().message;
  if (entry.needs_training_set) {
    ASSERT_TRUE((*first)->Train(LabelledRows()));
  }
  ByteWriter fresh;
  ASSERT_TRUE((*first)->Save(fresh));
  testing::SeededRng rng(4);
  const auto attack = [&](auto thief) {
    // Other points, and so other noise.
    auto session =
        Session::Load(entry, settings, OneNumber(entry), fresh.bytes());
    ASSERT_TRUE(session) << session.error().message;
    SessionTarget target(**session);
    View view;
    const auto won =
        PlayLeakage(LeakageRounds(kChallenges, 3), target, thief, rng, view);
    ASSERT_TRUE(won) << won.error().message;
    EXPECT_FALSE(*won);
  };
  for (int game = 0; game < 10; ++game) {
    attack(BoundaryAttack(kChallenges, 3));
    attack(DigitAttack{kChallenges});
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, LeakageTest,
                         ::testing::ValuesIn(OnlineModels()),
                         [](const auto& tested) {
                           std::string name(tested.param->name);
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace sotto
