// Every option of every model is handed over: off its default it changes the
// plan, the parameters, the guarantee, how rows are read, or what is answered.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/models/registry/registry.h"
#include "sotto/models/registry/replay_worlds_test_tools.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

std::string PlanText(const Result<Plan>& plan) {
  if (!plan) return "refused: " + plan.error().message;
  std::string text = plan->model + plan->parameters.Dump() +
                     ToJson(plan->guarantee).Dump() + plan->more.Dump() +
                     plan->table;
  for (const auto& number : {plan->mistakes_expected, plan->mistakes_bound,
                             plan->excess_expected, plan->samples_required}) {
    text += " " + (number ? std::to_string(*number) : "-");
  }
  for (const std::string& line : plan->advice) text += line;
  for (const std::string& line : plan->caveats) text += line;
  return text;
}

std::string ReadingText(const OnlineModelEntry& entry,
                        const Settings& settings) {
  ReaderParams params{.path = "x.csv"};
  if (!entry.prepare(settings, params)) return "refused";
  return std::to_string(params.encoding.hash_bits) +
         std::to_string(params.encoding.clamp) +
         std::to_string(params.encoding.numbers_only) +
         std::to_string(params.encoding.raw_numbers) +
         std::to_string(params.limits.max_magnitude.value_or(-1));
}

// Everything that an option of an online model can change.
std::string Effects(const OnlineModelEntry& entry, const Settings& settings) {
  InputSpec inputs = TestInputs(entry);
  inputs.label = {};
  std::string text = PlanText(entry.plan(settings, &inputs));
  text += ReadingText(entry, settings);
  const ReplayModel model(entry, settings);
  if (!model.refused().empty()) return text + model.refused();
  text += ToJson(model.guarantee()).Dump();
  testing::ReplayRng rng(1);
  for (const SeenRound& seen : model.Play({.length = 300}, rng)) {
    text += seen.prediction + std::to_string(seen.phase);
  }
  for (const auto& round : rng.rounds()) text += std::to_string(round.next);
  return text;
}

class OptionsTest : public ::testing::TestWithParam<const OnlineModelEntry*> {};

TEST_P(OptionsTest, EveryOptionChangesSomething) {
  const OnlineModelEntry& entry = *GetParam();
  // Options about speed alone.
  const std::set<std::string_view> speed = {"threads"};
  const Settings base = MakeBusyExample(entry);
  const std::string before = Effects(entry, base);
  for (const Option& option : entry.options) {
    if (speed.contains(option.name)) continue;
    const std::string text = OffDefault(base, option);
    ASSERT_NE(text, "") << option.name << " has no other value";
    Settings off = base;
    ASSERT_TRUE(off.Set(std::string(option.name), text));
    EXPECT_NE(Effects(entry, off), before)
        << "--" << option.name << " " << text << " is read and dropped";
  }
}

// The statement names what was asked: epsilon, delta, relation, rounds.
TEST_P(OptionsTest, TheStatementNamesWhatWasAsked) {
  const OnlineModelEntry& entry = *GetParam();
  for (const char* relation : {"replace", "add-remove"}) {
    for (const char* rounds : {"1", "3"}) {
      Settings settings = MakeBusyExample(entry);
      ASSERT_TRUE(settings.Set("relation", relation));
      ASSERT_TRUE(settings.Set("rounds-per-user", rounds));
      const ReplayModel model(entry, settings);
      ASSERT_EQ(model.refused(), "");
      const Guarantee& guarantee = model.guarantee();
      EXPECT_EQ(ToString(guarantee.relation()), relation);
      EXPECT_EQ(std::to_string(guarantee.rounds_per_user()), rounds);
      EXPECT_NE(guarantee.Describe().find("at most " + std::string(rounds)),
                std::string::npos);
      const double asked = settings.GetDouble("epsilon");
      EXPECT_LE(guarantee.epsilon(), asked);
      EXPECT_GE(guarantee.epsilon(), 0.99 * asked);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OptionsTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

}  // namespace
}  // namespace sotto
