// Every command over lines answers as its mechanism does, made with the share
// of one record, with noise that depends on every line before; and a state
// continues where it ended.
#include "sotto/frontend/line_tools.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/base/number_text.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"
#include "sotto/frontend/line_ranks.h"
#include "sotto/frontend/range_lines.h"
#include "sotto/frontend/range_options.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

std::vector<const LineTool*> AllTools() {
  std::vector<const LineTool*> tools;
  for (const LineTool& tool : LineTools()) tools.push_back(&tool);
  for (const LineTool& tool : RangeTools()) tools.push_back(&tool);
  return tools;
}

class LineToolsTest : public ::testing::TestWithParam<const LineTool*> {
 protected:
  LineToolsTest() {
    std::string numbers;
    for (int i = 0; i < 3000; ++i) numbers += std::to_string(i % 100) + "\n";
    folder_.Write("numbers", numbers);
    for (int i = 0; i < 40; ++i) lines_.push_back(std::to_string(i * 3 % 10));
  }

  const LineTool& tool() const { return *GetParam(); }
  bool Has(std::string_view name) const {
    return FindOption(tool().options, name) != nullptr;
  }
  bool ranks() const { return tool().name == kQuantileKind; }

  Settings Make(const char* rounds, const Words& more = {}) const {
    Settings settings(ConcatOptions({tool().options, BudgetOptions()}));
    Words words = {{"epsilon", "8"},
                   {"delta", "1e-6"},
                   {"horizon", "60"},
                   {"rounds-per-user", rounds}};
    if (Has("range")) words.emplace_back("range", "0..9");
    if (Has("at")) words.emplace_back("at", "0.25,0.75");
    if (Has("threshold")) words.emplace_back("threshold", "100000");
    if (ranks()) words.emplace_back("data", folder_.path("numbers"));
    words.insert(words.end(), more.begin(), more.end());
    for (const auto& [name, text] : words) {
      const Status set = settings.Set(name, text);
      EXPECT_TRUE(set) << name;
    }
    return settings;
  }
  LineStart Start(const Settings& settings) const {
    auto start = StartLines(settings, tool().name);
    EXPECT_TRUE(start) << (start ? "" : start.error().message);
    return *std::move(start);
  }

  // The answers of a mechanism, a line each.
  std::string Answer(LineMechanism& mechanism, HistoryRng& rng,
                     const std::vector<std::string>& lines,
                     std::string_view json_end = "") {
    const std::string path = folder_.path("out");
    const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    LineWriter out(fd);
    for (const std::string& line : lines) {
      EXPECT_TRUE(mechanism.Answer(line, json_end, rng, out));
      EXPECT_TRUE(out.EndLine());
    }
    EXPECT_TRUE(out.Flush());
    ::close(fd);
    return folder_.Read("out");
  }

  // The same by the mechanism itself; empty if this is not its kind.
  template <typename Mechanism, typename Write>
  static std::string ByClass(Result<Mechanism> made, const Key& key,
                             const std::vector<std::string>& lines,
                             const Write& write) {
    EXPECT_TRUE(made);
    HistoryRng rng(key);
    std::ostringstream text;
    for (const std::string& line : lines) {
      write(*made, std::stod(line), rng, text);
      text << "\n";
    }
    return std::move(text).str();
  }
  std::string Expected(const Settings& settings, const Key& key) const;

  testing::ScratchFolder folder_;
  std::vector<std::string> lines_;
};

template <typename Number>
void Absorb(HistoryRng& rng, Number number) {
  rng.Absorb(std::bit_cast<std::uint64_t>(number));
}

// Epsilon and delta of one record, beside the options' own code.
ApproximateDp OfOneRecord(const Settings& settings) {
  const std::uint64_t rounds = settings.GetInt("rounds-per-user");
  if (rounds == 1) return {8, 1e-6};
  return *PerRoundTarget({8, 1e-6}, rounds);
}

std::string LineToolsTest::Expected(const Settings& settings,
                                    const Key& key) const {
  const ApproximateDp each = OfOneRecord(settings);
  if (tool().name == kCountKind) {
    return ByClass(
        Counter::Create(
            {.epsilon = each.epsilon, .delta = each.delta, .horizon = 60}),
        key, lines_, [](auto& of, double x, auto& from, auto& text) {
          const auto count = static_cast<std::uint64_t>(x);
          from.Absorb(count);
          text << *of.Add(count, from);
        });
  }
  if (tool().name == kMonitorKind) {
    return ByClass(
        ThresholdMonitor::Create(
            {.epsilon = each.epsilon, .threshold = 100000, .horizon = 60}),
        key, lines_, [](auto& of, double x, auto& from, auto& text) {
          const auto count = static_cast<std::uint64_t>(x);
          from.Absorb(count);
          const auto answer = *of.Add(count, from);
          text << (answer == ThresholdMonitor::Answer::kAbove ? "above"
                                                              : "below");
        });
  }
  if (tool().name == kSumKind || tool().name == kMeanKind) {
    const bool sum = tool().name == kSumKind;
    return ByClass(
        RunningTotal::Create(
            {.epsilon = each.epsilon, .horizon = 60, .low = 0, .high = 9}),
        key, lines_, [&](auto& of, double x, auto& from, auto& text) {
          Absorb(from, x);
          const auto answer = *of.Add(x, from);
          text << Shortest(sum ? answer.sum : answer.mean);
        });
  }
  const bool quantiles = tool().name == kRangeQuantileKind;
  return ByClass(RunningHistogram::Create(
                     {.epsilon = each.epsilon,
                      .delta = each.delta,
                      .horizon = 60,
                      .grid = *RangeGrid::Create(0, 9, quantiles ? 64 : 20)}),
                 key, lines_, [&](auto& of, double x, auto& from, auto& text) {
                   Absorb(from, x);
                   const auto counts = *of.Add(x, from);
                   if (quantiles) {
                     text << Shortest(ReadQuantile(counts, of.grid(), 0.25))
                          << " "
                          << Shortest(ReadQuantile(counts, of.grid(), 0.75));
                     return;
                   }
                   const char* blank = "";
                   for (const std::int64_t count : counts) {
                     text << std::exchange(blank, " ") << count;
                   }
                 });
}

TEST_P(LineToolsTest, AnswersAreThoseOfTheMechanismWithTheShareOfOneRecord) {
  if (ranks()) return;  // below
  for (const char* rounds : {"1", "3"}) {
    const LineStart start = Start(Make(rounds, {{"seed", "5"}}));
    HistoryRng rng(start.key);
    const auto made = tool().make(start, rng);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(Answer(**made, rng, lines_), Expected(start.settings, start.key))
        << rounds;
  }
}

// One record is replaced: it leaves and comes, at half of its share.
TEST_P(LineToolsTest, RanksHaveTheShareOfOneRecordThatLeavesAndComes) {
  if (!ranks()) return;
  for (const auto& [rounds, relation, steps] :
       {std::tuple("1", "replace", 2), std::tuple("2", "add-remove", 2),
        std::tuple("2", "replace", 4), std::tuple("1", "add-remove", 1)}) {
    const LineStart start =
        Start(Make(rounds, {{"seed", "5"}, {"relation", relation}}));
    HistoryRng rng(start.key);
    const auto made = tool().make(start, rng);
    ASSERT_TRUE(made) << made.error().message;
    const auto each = QuantileParams(start.settings);
    ASSERT_TRUE(each);
    EXPECT_LE(each->epsilon * steps, 8);
    EXPECT_GE(each->epsilon * steps, 7.99);
    HistoryRng own(start.key);
    own.Absorb(0);
    auto direct = OnlineThresholds::Create(
        {.epsilon = each->epsilon, .delta = each->delta, .horizon = 60},
        *ReadNumbers(folder_.path("numbers")), own);
    ASSERT_TRUE(direct);
    std::ostringstream expected;
    for (const std::string& line : lines_) {
      Absorb(own, std::stod(line));
      expected << direct->Query(std::stod(line), own)->estimate << "\n";
    }
    EXPECT_EQ(Answer(**made, rng, lines_), std::move(expected).str());
    // A record's promise: both steps of a replacement.
    EXPECT_EQ(ToString((*made)->guarantee().relation()),
              std::string_view(relation));
  }
}

TEST_P(LineToolsTest, AStateContinuesWhereItEnded) {
  const Settings first = Make("1", {{"seed", "5"}});
  const LineStart start = Start(first);
  HistoryRng rng(start.key);
  const auto made = tool().make(start, rng);
  ASSERT_TRUE(made) << made.error().message;
  Answer(**made, rng, lines_);
  ByteWriter mechanism;
  (*made)->Save(mechanism);
  const std::string path = folder_.path("state");
  ASSERT_TRUE(
      WriteStateFile(path, LineState(start, tool().name, rng.key(),
                                     lines_.size(), mechanism.bytes())));

  Settings said(ConcatOptions({tool().options, BudgetOptions()}));
  ASSERT_TRUE(said.Set("load", path));
  if (ranks()) {
    ASSERT_TRUE(said.Set("data", folder_.path("numbers")));
  }
  const LineStart resumed = Start(said);
  EXPECT_EQ(resumed.lines, lines_.size());
  EXPECT_TRUE(resumed.seeded);
  EXPECT_EQ(resumed.settings.ToSavedJson().Dump(),
            start.settings.ToSavedJson().Dump());
  HistoryRng again(resumed.key);
  const auto loaded = tool().make(resumed, again);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::vector<std::string> more = {"7", "1", "4"};
  const std::string_view end = JsonEnd(resumed);
  EXPECT_EQ(end, ",\"private\":false}");
  EXPECT_EQ(Answer(**loaded, again, more, end), Answer(**made, rng, more, end));
  EXPECT_TRUE(std::ranges::equal(again.key().bytes(), rng.key().bytes()));
}

// Whatever comes in a line, later noise is other noise.
TEST_P(LineToolsTest, NoiseDependsOnEveryLineBefore) {
  const LineStart start = Start(Make("1", {{"seed", "5"}}));
  std::vector<Key> keys;
  for (const char* line : {"1", "2"}) {
    HistoryRng rng(start.key);
    const auto made = tool().make(start, rng);
    ASSERT_TRUE(made);
    Answer(**made, rng, {line});
    keys.push_back(rng.key());
  }
  EXPECT_FALSE(std::ranges::equal(keys[0].bytes(), keys[1].bytes()));
}

// A start is charged once, for a user, whatever the number of records; a state
// that is resumed was charged when it started.
TEST_P(LineToolsTest, AStartIsChargedAndAResumedOneIsNot) {
  const std::string path = folder_.path("known.budget");
  ASSERT_TRUE(BudgetFile::Create(
      path, {.people = "p", .limits = {.limit = {40, 1e-3}}}));
  const auto spent = [&] { return BudgetFile::Read(path)->entries(); };
  const LineStart start = Start(Make("3", {{"budget", path}}));
  HistoryRng rng(start.key);
  const auto made = tool().make(start, rng);
  ASSERT_TRUE(made) << made.error().message;
  double charged = 0;
  for (const BudgetEntry& entry : spent()) charged += entry.cost.epsilon;
  EXPECT_GE(charged, 7.99);
  EXPECT_LE(charged, 16);
  EXPECT_FALSE(start.seeded);
  const std::size_t entries = spent().size();
  ByteWriter mechanism;
  (*made)->Save(mechanism);
  LineStart resumed = Start(Make("3", {{"budget", path}}));
  resumed.mechanism = mechanism.bytes();
  ASSERT_TRUE(tool().make(resumed, rng));
  EXPECT_EQ(spent().size(), entries);
}

INSTANTIATE_TEST_SUITE_P(All, LineToolsTest, ::testing::ValuesIn(AllTools()),
                         [](const auto& tool) {
                           std::string name(tool.param->name);
                           std::erase(name, '-');
                           return name;
                         });

// A delta below what the samplers need is refused, not rounded.
TEST(LinePromiseTest, ADeltaThatCannotBeKeptIsRefused) {
  const auto check = [](const char* delta, const char* rounds) {
    Settings settings(CountOptions());
    for (const auto& [name, text] : Words{
             {"epsilon", "1"}, {"delta", delta}, {"rounds-per-user", rounds}}) {
      EXPECT_TRUE(settings.Set(name, text));
    }
    const auto guarantee = Guarantee::Create({.relation = Relation::kReplace,
                                              .epsilon = 1,
                                              .delta = 1e-9,
                                              .protects = "a record"});
    return CheckPromise(settings, *guarantee).has_value();
  };
  EXPECT_TRUE(check("0", "1"));
  EXPECT_TRUE(check("1e-9", "1"));
  EXPECT_FALSE(check("0.99e-9", "1"));
  EXPECT_FALSE(check("0.6e-9", "1"));
  // The user's promise is checked instead, if there are several records.
  EXPECT_TRUE(check("0.6e-9", "2"));
}

}  // namespace
}  // namespace sotto
