// Two neighbouring worlds on one tape of noise, for every model of the registry
// and its options: users of one and of three rounds, both relations, training
// rows, labels that come late, states that are saved and loaded.
//
// As long as everybody else has seen the same, noise is added at the same
// sites, to numbers as close as declared, and as many words are drawn. Numbers
// with Gaussian noise are within the sensitivity of their part of the guarantee
// in the Euclidean norm, and the rows that fits look at cost no more than the
// guarantee states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accounting/spend.h"
#include "sotto/models/registry/registry.h"
#include "sotto/models/registry/replay_worlds_test_tools.h"
#include "sotto/testing/replay_rng.h"
#include "sotto/testing/sanitized.h"

namespace sotto {
namespace {

using testing::FirstDifference;
using testing::ReplayRng;

constexpr double kRoundOff = 1e-6;

// Calls visit(part, steps) for every part with the steps of all above it.
void ForEachPart(
    const Spend& spend, double steps,
    const std::function<void(const Spend& part, double steps)>& visit) {
  steps *= static_cast<double>(spend.steps);
  visit(spend, steps);
  for (const Spend& part : spend.parts) ForEachPart(part, steps, visit);
}

// Largest ratios of what was reached to what is declared, by site.
using Reached = std::map<std::string, double>;

struct Worlds {
  const ReplayRng& zero;
  const ReplayRng& one;
  std::uint64_t last;
  std::uint64_t steps;
};

// Gaussian parts bear the names of their sites.
void CheckGaussian(const Guarantee& guarantee, const Worlds& worlds,
                   Reached& reached) {
  const auto reach = Reach(worlds.zero, worlds.one, worlds.last);
  ForEachPart(guarantee.spend(), 1, [&](const Spend& part, double steps) {
    if (!part.noise || part.noise->kind != SamplerKind::kGaussian) return;
    const auto site = reach.find(part.name);
    if (site == reach.end()) return;
    const double most = part.noise->sensitivity * steps;
    EXPECT_LE(site->second.euclidean, most * (1 + kRoundOff)) << part.name;
    double& ratio = reached[part.name + ", Euclidean"];
    ratio = std::max(ratio, site->second.euclidean / most);
  });
}

void Compare(const Guarantee& guarantee, const Worlds& worlds,
             Reached& reached) {
  const auto different =
      FirstDifference(worlds.zero, worlds.one, worlds.last, worlds.steps);
  EXPECT_EQ(different.what, "") << "round " << different.round;
  CheckGaussian(guarantee, worlds, reached);
  const double loss = RowLoss(worlds.zero, worlds.one, worlds.last);
  EXPECT_LE(loss, guarantee.epsilon() * (1 + kRoundOff));
  double& rows = reached["rows of fits"];
  rows = std::max(rows, loss / guarantee.epsilon());
  for (const auto& [name, site] : Reach(worlds.zero, worlds.one, worlds.last)) {
    if (name == "choice") continue;
    const double most =
        static_cast<double>(site.declared) * static_cast<double>(worlds.steps);
    reached[name] = std::max(reached[name], site.largest / most);
  }
}

class ReplayMatrixTest
    : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }

  // Replays a model with these settings; false if there is none.
  bool Check(const Settings& settings, std::size_t delay,
             std::vector<Change> changes) {
    const ReplayModel model(entry(), settings);
    if (!model.refused().empty()) return false;
    ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                 settings.ToSavedJson().Dump());
    PlayedAs as{.label_delay = delay, .length = length_};
    if (settings.GetInt("rounds-per-user") > 1) as.rounds = {30, 41, 52};
    ReplayRng here(1);
    const auto zero = model.Play(as, here);
    CheckSaved(model, as, here, zero);
    for (const Change change : changes) {
      as.change = change;
      ReplayRng there(1, here);
      const auto one = model.Play(as, there);
      CompareSeen(model.guarantee(), {zero, here}, {one, there}, as);
    }
    return true;
  }

  struct Played {
    const std::vector<SeenRound>& shown;
    const ReplayRng& rng;
  };
  void CompareSeen(const Guarantee& guarantee, const Played& zero,
                   const Played& one, const PlayedAs& as) {
    const auto apart = static_cast<std::size_t>(
        std::ranges::mismatch(zero.shown, one.shown).in1 - zero.shown.begin());
    // Compared beyond the protected rounds, or the test shows nothing.
    EXPECT_GT(apart, std::min(as.rounds.back() + 20, zero.shown.size() - 1));
    Compare(guarantee, {zero.rng, one.rng, apart, as.rounds.size()}, reached_);
  }

  // A state that was saved and loaded continues as if it had not been.
  void CheckSaved(const ReplayModel& model, PlayedAs as, const ReplayRng& here,
                  const std::vector<SeenRound>& zero) {
    as.save_at = 47;
    ReplayRng saved(1);
    EXPECT_EQ(model.Play(as, saved), zero);
    ASSERT_EQ(saved.rounds().size(), here.rounds().size());
    EXPECT_EQ(FirstDifference(here, saved, ~std::uint64_t{0}, 1).what, "");
    for (const auto& [name, site] : Reach(here, saved)) {
      EXPECT_EQ(site.largest, 0) << name << " is another after a load";
    }
  }

  const Reached& reached() const { return reached_; }
  double BestReached() const {
    double best = 0;
    for (const auto& [name, ratio] : reached_) best = std::max(best, ratio);
    return best;
  }

  std::size_t length_ = 120;

 private:
  Reached reached_;
};

std::vector<Change> ChangesUnder(const Settings& settings) {
  if (settings.Text("relation") == "add-remove") return {Change::kAbsent};
  return {Change::kReplaced, Change::kAbsent, Change::kUnlabelled};
}

Settings With(Settings settings, const std::string& name,
              const std::string& text) {
  EXPECT_TRUE(settings.Set(name, text)) << name << " " << text;
  return settings;
}

TEST_P(ReplayMatrixTest, TheExampleForAllUsersRelationsAndDelays) {
  int played = 0;
  for (const char* relation : {"replace", "add-remove"}) {
    for (const char* rounds : {"1", "3"}) {
      for (const std::size_t delay : {0, 7}) {
        Settings settings = MakeBusyExample(entry());
        settings = With(settings, "relation", relation);
        settings = With(settings, "rounds-per-user", rounds);
        played += Check(settings, delay, ChangesUnder(settings)) ? 1 : 0;
      }
      Settings settings = MakeBusyExample(entry());
      settings = With(settings, "relation", relation);
      settings = With(settings, "rounds-per-user", rounds);
      settings = With(settings, "label-delay", "3");
      played += Check(settings, 3, ChangesUnder(settings)) ? 1 : 0;
    }
  }
  EXPECT_EQ(played, 12);
  // A distance that no change comes near would be slack. What was learned from
  // a training set is reached by a change of that. `points` draws a point's
  // noise when the point has come often enough, and a test of its own compares
  // its answers with their distribution.
  const bool reached_here =
      !entry().needs_training_set && entry().name != "points";
  if (BestReached() == 0 && reached_here) {
    length_ = 900;
    EXPECT_TRUE(Check(MakeBusyExample(entry()), 0, {Change::kReplaced}));
  }
  EXPECT_LE(BestReached(), 1 + kRoundOff);
  if (reached_here) {
    EXPECT_GE(BestReached(), 0.3);
  }
  for (const auto& [name, ratio] : reached()) {
    RecordProperty(name, std::to_string(ratio));
  }
}

// Options off their defaults, one by one and then by halves, so that pairs
// meet; who is protected, and from what, goes round.
TEST_P(ReplayMatrixTest, OptionsOffTheirDefaults) {
  const Settings example = MakeBusyExample(entry());
  const auto off = OptionsOffDefault(entry(), example);
  std::size_t row = 0;
  std::size_t played = 0;
  const auto check = [&](Settings settings) {
    // Sanitizers look at memory, for which every third row is enough.
    const std::size_t number = row++;
    if (kSanitized && number % 3 != 0) return;
    settings =
        With(settings, "relation", number % 2 == 0 ? "add-remove" : "replace");
    if (number / 2 % 2 == 1) settings = With(settings, "rounds-per-user", "3");
    const std::size_t delay = number % 3 == 2 ? 7 : 0;
    played += Check(settings, delay, ChangesUnder(settings)) ? 1 : 0;
  };
  for (const auto& [name, text] : off) check(With(example, name, text));
  for (std::size_t bit = 1; bit < off.size(); bit *= 2) {
    Settings half = example;
    for (std::size_t i = 0; i < off.size(); ++i) {
      if ((i & bit) != 0) half = With(half, off[i].first, off[i].second);
    }
    check(half);
  }
  RecordProperty("rows", static_cast<int>(row));
  RecordProperty("played", static_cast<int>(played));
  EXPECT_GE((kSanitized ? 6 : 2) * played,
            std::min<std::size_t>(off.size(), 2));
}

TEST_P(ReplayMatrixTest, ATrainingRow) {
  if (!entry().needs_training_set) return;
  for (const char* relation : {"replace", "add-remove"}) {
    Settings settings = With(MakeBusyExample(entry()), "relation", relation);
    const ReplayModel model(entry(), settings);
    ASSERT_EQ(model.refused(), "");
    PlayedAs as{.rounds = {}, .length = 60};
    ReplayRng here(1);
    const auto zero = model.TrainAndPlay(Change::kNone, as, here);
    for (const Change change : ChangesUnder(settings)) {
      ReplayRng there(1, here);
      const auto one = model.TrainAndPlay(change, as, there);
      const auto apart = static_cast<std::size_t>(
          std::ranges::mismatch(zero, one).in1 - zero.begin());
      EXPECT_EQ(apart, zero.size());
      Reached reached;
      Compare(model.guarantee(), {here, there, apart, 1}, reached);
      double best = 0;
      for (const auto& [name, ratio] : reached) best = std::max(best, ratio);
      // One row among many need not turn the vote of a teacher.
      if (!reached.contains("votes")) {
        EXPECT_EQ(best, 1) << "no number depends on the row";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ReplayMatrixTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

// A leader that watches for drift, on a stream that turns round: the rows of an
// epoch that the watch ends are fitted once.
TEST(LeaderReplayTest, RowsAreFittedOnceHoweverAnEpochEnds) {
  const OnlineModelEntry* leader = nullptr;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    if (entry->name == "leader") leader = entry;
  }
  ASSERT_NE(leader, nullptr);
  for (const char* learner : {"stump", "tree", "auto"}) {
    Settings settings = MakeBusyExample(*leader);
    settings = With(settings, "epsilon", "16");
    settings = With(settings, "delta", "0");
    settings = With(settings, "drift", "auto");
    settings = With(settings, "learner", learner);
    settings = With(settings, "first-epoch", "64");
    const ReplayModel model(*leader, settings);
    ASSERT_EQ(model.refused(), "") << learner;
    for (const std::size_t own : {70, 97, 103, 150}) {
      PlayedAs as{.rounds = {own}, .length = 400, .drift_at = 90};
      ReplayRng here(1);
      const auto zero = model.Play(as, here);
      for (const Change change : {Change::kReplaced, Change::kAbsent}) {
        as.change = change;
        ReplayRng there(1, here);
        const auto one = model.Play(as, there);
        EXPECT_EQ(one, zero) << learner << " " << own;
        Reached reached;
        Compare(model.guarantee(), {here, there, ~std::uint64_t{0}, 1},
                reached);
        EXPECT_GT(reached["rows of fits"], 0) << learner << " " << own;
      }
    }
  }
}

// Plays Algorithm 7 of [POP] beyond its halt, in two worlds.
void ReplayAlgorithmSeven(const ReplayModel& model, PlayedAs as,
                          Reached& reached) {
  ReplayRng here(1);
  const auto zero = model.Play(as, here);
  ASSERT_EQ(zero.size(), as.length) << "answers go on after the halt";
  EXPECT_EQ(zero.front().phase, 0u);
  EXPECT_GE(zero.back().phase, 1u);
  EXPECT_EQ(zero.back().prediction, "0.000000");
  for (const std::size_t save_at : {std::size_t{47}, as.length - 15}) {
    as.save_at = save_at;
    ReplayRng saved(1);
    EXPECT_EQ(model.Play(as, saved), zero) << save_at;
  }
  as.save_at = 0;
  for (const Change change :
       {Change::kReplaced, Change::kAbsent, Change::kUnlabelled}) {
    as.change = change;
    ReplayRng there(1, here);
    EXPECT_EQ(model.Play(as, there), zero);
    Compare(model.guarantee(),
            {here, there, ~std::uint64_t{0}, as.rounds.size()}, reached);
  }
}

// Votes and nodes of the counters differ by one, and as many words are drawn;
// in every second row mistakes are counted too.
TEST(PopReplayTest, AlgorithmSevenDrawsOnThePublicClock) {
  const auto models = OnlineModels();
  const auto pop = std::ranges::find_if(
      models, [](const auto* entry) { return entry->name == "pop"; });
  ASSERT_NE(pop, models.end());
  using Said = std::vector<std::pair<std::string, std::string>>;
  std::size_t row = 0;
  Reached reached;
  for (const char* constants : {"least", "printed"}) {
    for (const char* relation : {"replace", "add-remove"}) {
      for (const char* rounds : {"1", "3"}) {
        const bool even = row++ % 2 == 0;
        const bool agnostic = row % 4 >= 2;
        Settings settings = MakeBusyExample(**pop);
        for (const auto& [name, text] :
             Said{{"epsilon", "16"},
                  {"delta", "0.1"},
                  {"variant", "paper"},
                  {"horizon", "500"},
                  {"reports", "60"},
                  {"mistake-bound", "1"},
                  {"learner", "perceptron"},
                  {"counter", even ? "binary" : "best"},
                  {"agnostic", agnostic ? "400" : "0"},
                  {"constants", constants},
                  {"relation", relation},
                  {"rounds-per-user", rounds}}) {
          settings = With(settings, name, text);
        }
        const ReplayModel model(**pop, settings);
        ASSERT_EQ(model.refused(), "") << constants;
        for (const std::size_t own : {4, 231, 246, 259}) {
          PlayedAs as{.rounds = {own},
                      .label_delay = own % 2 == 0 ? 0U : 3U,
                      .length = 530};
          if (rounds[0] == '3') as.rounds = {own, own + 1, own + 7};
          ReplayAlgorithmSeven(model, as, reached);
        }
      }
    }
  }
  EXPECT_EQ(reached["votes"], 1);
  EXPECT_EQ(reached["tree node"], 1);
}

// Algorithm 3 of [Counters]: its histogram runs at another round in the other
// world, and nothing that is drawn shows it.
TEST(PointsReplayTest, AlgorithmThreeDrawsOnThePublicClock) {
  const OnlineModelEntry* points = nullptr;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    if (entry->name == "points") points = entry;
  }
  ASSERT_NE(points, nullptr);
  std::size_t row = 0;
  for (const char* constants : {"least", "printed"}) {
    for (const char* relation : {"replace", "add-remove"}) {
      for (const char* rounds : {"1", "3"}) {
        Settings settings = MakeBusyExample(*points);
        settings = With(settings, "epsilon", "16");
        settings = With(settings, "delta", "1e-2");
        settings = With(settings, "calibration", "paper");
        settings = With(settings, "constants", constants);
        settings = With(settings, "relation", relation);
        settings = With(settings, "rounds-per-user", rounds);
        const std::size_t delay = row++ % 2 == 0 ? 0 : 3;
        settings = With(settings, "label-delay", std::to_string(delay));
        const ReplayModel model(*points, settings);
        ASSERT_EQ(model.refused(), "") << constants;
        PlayedAs as{.rounds = {4}, .label_delay = delay, .length = 400};
        if (rounds[0] == '3') as.rounds = {4, 5, 6};
        ReplayRng here(1);
        const auto zero = model.Play(as, here);
        as.save_at = 47;
        ReplayRng saved(1);
        EXPECT_EQ(model.Play(as, saved), zero);
        as.save_at = 0;
        for (const Change change :
             {Change::kReplaced, Change::kAbsent, Change::kUnlabelled}) {
          as.change = change;
          ReplayRng there(1, here);
          const auto one = model.Play(as, there);
          const auto apart = static_cast<std::size_t>(
              std::ranges::mismatch(zero, one).in1 - zero.begin());
          EXPECT_GT(apart, 30u);
          Reached reached;
          Compare(model.guarantee(), {here, there, apart, as.rounds.size()},
                  reached);
        }
      }
    }
  }
}

// Settings of a model's --calibration paper with small numbers.
Settings PapersLines(const OnlineModelEntry& entry, const char* relation,
                     const char* rounds) {
  Settings settings = MakeBusyExample(entry);
  using Said = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [name, text] : Said{{"epsilon", "16"},
                                       {"delta", "0.05"},
                                       {"calibration", "paper"},
                                       {"honest-fraction", "1"},
                                       {"error", "0.5"},
                                       {"relation", relation},
                                       {"rounds-per-user", rounds}}) {
    settings = With(settings, name, text);
  }
  if (entry.name == "everlasting") {
    settings = With(settings, "teachers", "40");
    return With(settings, "phase-rounds", "100");
  }
  return With(settings, "constant", "0.25");
}

// RectanglesPERP, DecisionPERP and the generic predictor of [PERP]: a query, a
// training row, and a state. The generic one begins its third phase.
TEST(PerpReplayExactTest, ThePapersLinesDrawOnThePublicClock) {
  Reached reached;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    if (entry->name != "rectangles" && entry->name != "stumps" &&
        entry->name != "everlasting") {
      continue;
    }
    for (const char* relation : {"replace", "add-remove"}) {
      for (const char* rounds : {"1", "3"}) {
        const Settings settings = PapersLines(*entry, relation, rounds);
        ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                     std::string(entry->name) + " " + relation);
        const ReplayModel model(*entry, settings);
        ASSERT_EQ(model.refused(), "");
        PlayedAs as{.length = 250};
        if (rounds[0] == '3') as.rounds = {30, 41, 52};
        ReplayRng here(1);
        const auto zero = model.Play(as, here);
        as.save_at = 147;
        ReplayRng saved(1);
        EXPECT_EQ(model.Play(as, saved), zero);
        as.save_at = 0;
        ReplayRng trained(3);
        const auto begun = model.TrainAndPlay(Change::kNone, as, trained);
        for (const Change change : ChangesUnder(settings)) {
          as.change = change;
          ReplayRng there(1, here);
          const auto one = model.Play(as, there);
          const auto apart = static_cast<std::size_t>(
              std::ranges::mismatch(zero, one).in1 - zero.begin());
          EXPECT_GT(apart, as.rounds.back() + 20);
          Compare(model.guarantee(), {here, there, apart, as.rounds.size()},
                  reached);
          if (rounds[0] == '3') continue;
          as.change = Change::kNone;
          ReplayRng other(3, trained);
          EXPECT_EQ(model.TrainAndPlay(change, as, other), begun);
          Compare(model.guarantee(), {trained, other, ~std::uint64_t{0}, 1},
                  reached);
        }
      }
    }
  }
  for (const char* site : {"boundary count", "positives", "score"}) {
    EXPECT_EQ(reached[site], 1) << site;
  }
}

// DP-OL: mistakes are tested and teachers drawn in every round; after a call
// the lists of one teacher differ, and their top frequency by one at most.
TEST(LittlestoneReplayTest, AlgorithmsThreeAndFourDrawOnThePublicClock) {
  const OnlineModelEntry* littlestone = nullptr;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    if (entry->name == "littlestone") littlestone = entry;
  }
  ASSERT_NE(littlestone, nullptr);
  using Said = std::vector<std::pair<std::string, std::string>>;
  std::size_t row = 0;
  Reached reached;
  for (const char* constants : {"least", "printed"}) {
    for (const char* relation : {"replace", "add-remove"}) {
      for (const char* rounds : {"1", "3"}) {
        const std::string delay = row++ % 2 == 0 ? "0" : "3";
        Settings settings = MakeBusyExample(*littlestone);
        for (const auto& [name, text] : Said{{"epsilon", "16"},
                                             {"delta", "1e-2"},
                                             {"class", "points:8"},
                                             {"calibration", "paper"},
                                             {"constants", constants},
                                             {"changes", "3"},
                                             {"limit", "60"},
                                             {"relation", relation},
                                             {"rounds-per-user", rounds},
                                             {"label-delay", delay}}) {
          settings = With(settings, name, text);
        }
        const ReplayModel model(*littlestone, settings);
        ASSERT_EQ(model.refused(), "") << constants;
        PlayedAs as{.rounds = {4},
                    .label_delay = delay == "3" ? 3U : 0U,
                    .length = 500};
        if (rounds[0] == '3') as.rounds = {4, 5, 6};
        ReplayRng here(1);
        const auto zero = model.Play(as, here);
        EXPECT_GE(zero.back().phase, 2u) << "no call";
        as.save_at = 47;
        ReplayRng saved(1);
        EXPECT_EQ(model.Play(as, saved), zero);
        as.save_at = 0;
        for (const Change change :
             {Change::kReplaced, Change::kAbsent, Change::kUnlabelled}) {
          as.change = change;
          ReplayRng there(1, here);
          const auto one = model.Play(as, there);
          const auto apart = static_cast<std::size_t>(
              std::ranges::mismatch(zero, one).in1 - zero.begin());
          EXPECT_GT(apart, 30u);
          Compare(model.guarantee(), {here, there, apart, as.rounds.size()},
                  reached);
        }
      }
    }
  }
  EXPECT_EQ(reached["threshold query"], 1);
}

}  // namespace
}  // namespace sotto
