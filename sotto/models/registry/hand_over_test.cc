// Every option of every model, off its default, changes something that it
// should: the plan, the parameters, the promise, the noise that is drawn or the
// answers. An option that is read and dropped changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/models/registry/registry.h"
#include "sotto/models/registry/replay_worlds_test_tools.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::ReplayRng;

std::string PlanText(const Plan& plan) {
  std::ostringstream text;
  text << plan.model << plan.parameters.Dump() << ToJson(plan.guarantee).Dump()
       << plan.mistakes_expected.value_or(-1) << ' '
       << plan.mistakes_bound.value_or(-1) << ' '
       << plan.excess_expected.value_or(-1) << ' '
       << plan.samples_required.value_or(-1) << ' ' << plan.more.Dump()
       << plan.table << ' '
       << (plan.verdict ? static_cast<int>(*plan.verdict) : -1);
  for (const std::string& line : plan.advice) text << line;
  return std::move(text).str();
}

std::string DrawnText(const ReplayRng& rng) {
  std::ostringstream text;
  for (const ReplayRng::Round& round : rng.rounds()) {
    for (const ReplayRng::Drawn& drawn : round.drawn) {
      text << round.round << ' ' << drawn.kind << ' ' << drawn.scale << ' '
           << drawn.draws << '\n';
    }
    for (const ReplayRng::Site& site : round.sites) text << site.value << ' ';
  }
  return std::move(text).str();
}

// Whatever an option does, a model states no more than it was asked for. The
// session refuses one that does; here the model itself is asked.
void ExpectWithinRequest(const Guarantee& stated, const Settings& settings) {
  constexpr double kSamplers = 1e-15;  // delta of samplers, where none is asked
  EXPECT_LE(stated.epsilon(), settings.GetDouble("epsilon"))
      << settings.ToSavedJson().Dump();
  EXPECT_LE(stated.delta(), settings.GetDouble("delta") + kSamplers)
      << settings.ToSavedJson().Dump();
}

std::string Planned(const OnlineModelEntry& entry, const Settings& settings) {
  InputSpec inputs = TestInputs(entry);
  inputs.label = {};
  const auto plan = entry.plan(settings, &inputs);
  if (!plan) return plan.error().message;
  ExpectWithinRequest(plan->guarantee, settings);
  return PlanText(*plan);
}

// The model itself, its noise and its answers.
std::string Played(const OnlineModelEntry& entry, const Settings& settings) {
  const ReplayModel played(entry, settings);
  if (!played.refused().empty()) return played.refused();
  ExpectWithinRequest(played.guarantee(), settings);
  std::string effects = ToJson(played.guarantee()).Dump();
  ReplayRng rng(1);
  const PlayedAs as{.rounds = {}, .length = 150};
  const auto seen = entry.needs_training_set
                        ? played.TrainAndPlay(Change::kNone, as, rng)
                        : played.Play(as, rng);
  for (const SeenRound& round : seen) effects += round.prediction + ' ';
  return effects + DrawnText(rng);
}

// Options that a model by itself cannot show, and who shows them.
const std::map<std::string_view, std::string_view>& ShownElsewhere() {
  static const std::map<std::string_view, std::string_view> kOptions = {
      {"force", "runs although a plan is hopeless: run_test.py"},
      {"public", "session_test.cc, parts_test.cc"},
      {"compare", "comparison_test.cc"},
      {"threshold", "session_test.cc"},
      {"ticket-rounds", "open_rounds_test.cc"},
      {"label-delay", "every_model_test.cc; played by the session"},
      {"threads", "work, not results: bench"},
      {"features", "columns of a stream without names: run_test.py"},
  };
  return kOptions;
}

// Settings under which other options count than under the example's.
std::vector<std::pair<std::string, std::string>> Contexts(
    std::string_view model) {
  if (model == "leader") {
    return {{"learner", "threshold"},
            {"learner", "tree"},
            {"learner", "list"},
            {"learner", "finite"}};
  }
  if (model == "littlestone") return {{"calibration", "paper"}};
  if (model == "points") return {{"horizon", "300"}};
  return {};
}

// Options that change nothing at all here, and why.
const std::map<std::string, std::string_view>& NoEffect() {
  static const std::map<std::string, std::string_view> kOptions = {
      {"leader --calibration", "its fits have no paper's constants"},
      {"leader --buckets", "categories of a schema only"},
      {"pop --mistake-bound", "with --objective bound only"},
      {"winnow --label-rate", "its forecast counts rounds"},
      {"winnow --clip", "values are always clamped"},
      {"littlestone --label-rate", "its forecast counts rounds"},
      {"littlestone --lists", "with --calibration paper, where one is made"},
      {"everlasting --band", "with --teachers only: everlasting_schedule_test"},
      {"rectangles --label-rate", "labels of the stream teach nothing"},
      {"stumps --label-rate", "labels of the stream teach nothing"},
      {"everlasting --label-rate", "labels of the stream teach nothing"},
      {"everlasting --label-noise", "labels of the stream teach nothing"},
  };
  return kOptions;
}

class HandOverTest : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }
  // The example, and the example under each context.
  std::vector<Settings> Bases() const {
    std::vector<Settings> bases = {MakeBusyExample(entry())};
    // A plan that is searched for takes a second.
    if (entry().name == "pop") {
      EXPECT_TRUE(bases.front().Set("epsilon", "8"));
      EXPECT_TRUE(bases.front().Set("delta", "1e-3"));
    }
    for (const auto& [name, text] : Contexts(entry().name)) {
      Settings base = bases.front();
      EXPECT_TRUE(base.Set(name, text));
      if (base.GetDouble("delta") == 0) {
        EXPECT_TRUE(base.Set("delta", "1e-6"));
      }
      bases.push_back(base);
    }
    return bases;
  }
  bool ChangesSomething(const Option& option, const Settings& base) {
    const std::string text = OffDefault(base, option);
    Settings off = base;
    if (text.empty() || !off.Set(std::string(option.name), text)) return false;
    const std::string key = base.ToSavedJson().Dump();
    if (!planned_.contains(key)) planned_[key] = Planned(entry(), base);
    if (Planned(entry(), off) != planned_[key]) return true;
    if (!played_.contains(key)) played_[key] = Played(entry(), base);
    return Played(entry(), off) != played_[key];
  }

 private:
  // By settings that others are compared with: planning takes time.
  std::map<std::string, std::string> planned_;
  std::map<std::string, std::string> played_;
};

TEST_P(HandOverTest, EveryOptionChangesSomething) {
  std::vector<std::string> dropped;
  const std::vector<Settings> bases = Bases();
  for (const Option& option : Session::Options(entry())) {
    const std::string name =
        std::string(entry().name) + " --" + std::string(option.name);
    if (ShownElsewhere().contains(option.name)) continue;
    if (NoEffect().contains(name)) continue;
    const bool changes = std::ranges::any_of(bases, [&](const Settings& base) {
      return ChangesSomething(option, base);
    });
    if (!changes) dropped.push_back(name);
  }
  EXPECT_EQ(dropped, std::vector<std::string>());
}

// The statement names what was asked.
TEST_P(HandOverTest, TheStatementNamesWhatWasAsked) {
  const OnlineModelEntry& entry = *GetParam();
  for (const char* relation : {"replace", "add-remove"}) {
    for (const char* rounds : {"1", "3"}) {
      Settings settings = MakeBusyExample(entry);
      ASSERT_TRUE(settings.Set("relation", relation));
      ASSERT_TRUE(settings.Set("rounds-per-user", rounds));
      const InputSpec inputs = TestInputs(entry);
      const auto plan = entry.plan(settings, &inputs);
      ASSERT_TRUE(plan) << plan.error().message;
      for (const Guarantee& promise : {plan->guarantee}) {
        EXPECT_EQ(ToString(promise.relation()), relation);
        EXPECT_EQ(std::to_string(promise.rounds_per_user()), rounds);
        EXPECT_LE(promise.epsilon(), settings.GetDouble("epsilon"));
        EXPECT_GE(promise.epsilon(), 0.5 * settings.GetDouble("epsilon"));
        const std::string words = promise.Describe();
        EXPECT_NE(words.find(rounds), std::string::npos) << words;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, HandOverTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

// Batch models: the plan and what is fitted.
class BatchHandOverTest
    : public ::testing::TestWithParam<const BatchModelEntry*> {};

Settings BatchSettings(const BatchModelEntry& entry) {
  Settings settings(
      ConcatOptions({PrivacyOptions(), entry.options, entry.plan_options}));
  std::istringstream words{std::string(entry.example)};
  std::string word;
  while (words >> word) {
    const Option* option = word.starts_with("--")
                               ? FindOption(settings.table(), word.substr(2))
                               : nullptr;
    if (option == nullptr) continue;
    std::string text = "true";
    const std::string name = word.substr(2);
    if (option->type != OptionType::kFlag) words >> text;
    EXPECT_TRUE(settings.Set(name, text)) << name << " " << text;
  }
  return settings;
}

TEST_P(BatchHandOverTest, EveryOptionOfThePlanChangesThePlan) {
  const BatchModelEntry& entry = *GetParam();
  // About the table that is read, not the plan: fit_table_test, schema_test.
  const std::set<std::string_view> table = {
      "schema", "data",  "user",    "label", "out",      "train",
      "test",   "range", "buckets", "rows",  "features", "cuts"};
  // Pure fits have no delta; only these have a paper's constants.
  const std::set<std::string_view> exact = {"threshold", "interval", "stump",
                                            "tree", "auto"};
  const std::set<std::string_view> papers = {"greedy-cover", "littlestone-erm"};
  const Settings base = BatchSettings(entry);
  const auto planned = [&](const Settings& settings) {
    const auto plan = entry.plan(settings);
    return plan ? PlanText(*plan) : plan.error().message;
  };
  const std::string before = planned(base);
  std::vector<std::string> dropped;
  for (const Option& option : base.table()) {
    if (table.contains(option.name)) continue;
    if (option.name == "delta" && exact.contains(entry.name)) continue;
    if (option.name == "calibration" && !papers.contains(entry.name)) continue;
    if (option.name == "lists") continue;  // with --calibration paper
    const std::string text = OffDefault(base, option);
    if (text.empty()) continue;
    Settings off = base;
    ASSERT_TRUE(off.Set(std::string(option.name), text));
    if (planned(off) == before) {
      dropped.push_back(std::string(option.name) + " " + text);
    }
  }
  EXPECT_EQ(dropped, std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(
    All, BatchHandOverTest, ::testing::ValuesIn(BatchModels()),
    [](const ::testing::TestParamInfo<const BatchModelEntry*>& entry) {
      std::string name(entry.param->name);
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace sotto
