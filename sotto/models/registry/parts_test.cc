// The parts of every guarantee, composed here by other code than the library's,
// and compared with the guarantee, with the request and with the noise that is
// really drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/spend.h"
#include "sotto/base/settings.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/registry/registry.h"
#include "sotto/models/registry/replay_worlds_test_tools.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::ReplayRng;
using Real = long double;

struct Cost {
  Real epsilon = 0;
  Real delta = 0;
};

// Group privacy, step by step: P(S) <= e^eps Q(S) + delta, `steps` times.
Cost OwnGroup(const Cost& one, std::uint64_t steps) {
  Cost group;
  for (std::uint64_t i = 0; i < steps; ++i) {
    group.delta = std::exp(one.epsilon) * group.delta + one.delta;
    group.epsilon += one.epsilon;
  }
  return group;
}

// Delta of a Gaussian of this deviation per unit of sensitivity, by the
// Gaussian integral.
Real OwnGaussianDelta(Real sigma, Real epsilon) {
  const auto normal = [](Real x) {
    return std::erfc(-x / std::sqrt(Real{2})) / 2;
  };
  const Real near = 1 / (2 * sigma);
  return normal(near - epsilon * sigma) -
         std::exp(epsilon) * normal(-near - epsilon * sigma);
}

Cost OwnTotal(const Spend& spend) {
  Cost one{spend.cost.epsilon, spend.cost.delta};
  if (spend.rule == Spend::Rule::kSum) {
    one = {};
    for (const Spend& part : spend.parts) {
      const Cost cost = OwnTotal(part);
      one.epsilon += cost.epsilon;
      one.delta += cost.delta;
    }
  }
  if (spend.rule == Spend::Rule::kMax) {
    one = {};
    for (const Spend& part : spend.parts) {
      const Cost cost = OwnTotal(part);
      one.epsilon = std::max(one.epsilon, cost.epsilon);
      one.delta = std::max(one.delta, cost.delta);
    }
  }
  return OwnGroup(one, spend.steps);
}

bool IsPure(const Spend& part) {
  return part.noise && part.noise->kind != SamplerKind::kGaussian &&
         part.noise->kind != SamplerKind::kTable && part.noise->scale > 0;
}

bool IsGaussian(const Spend& part) {
  return part.noise && part.noise->kind == SamplerKind::kGaussian &&
         part.noise->scale > 0;
}

// The cost of a part follows from its noise.
void CheckNoise(const Spend& part) {
  ::testing::ScopedTrace trace(__FILE__, __LINE__, part.name);
  if (part.rule == Spend::Rule::kAlone && IsPure(part)) {
    EXPECT_NEAR(part.cost.epsilon, part.noise->sensitivity / part.noise->scale,
                1e-9 * part.cost.epsilon);
    // Noise is integer: rows move whole units.
    EXPECT_EQ(part.noise->sensitivity, std::round(part.noise->sensitivity));
  }
  if (part.rule == Spend::Rule::kAlone && IsGaussian(part) &&
      part.cost.delta > 0) {
    const Real own = OwnGaussianDelta(
        part.noise->scale / part.noise->sensitivity, part.cost.epsilon);
    EXPECT_GE(part.cost.delta * (1 + 1e-4), static_cast<double>(own));
  }
  if (part.rule == Spend::Rule::kJoint) {
    // Together they cost no less than each alone.
    for (const Spend& one : part.parts) {
      if (IsPure(one) && part.cost.delta == 0) {
        EXPECT_LE(one.cost.epsilon, part.cost.epsilon * (1 + 1e-9));
      }
      if (IsGaussian(one)) {
        EXPECT_GE(
            part.cost.delta * (1 + 1e-4),
            static_cast<double>(OwnGaussianDelta(
                one.noise->scale / one.noise->sensitivity, part.cost.epsilon)));
      }
    }
  }
  for (const Spend& one : part.parts) CheckNoise(one);
}

struct Asked {
  double epsilon = 0;
  double delta = 0;
  std::string relation;
  std::uint64_t rounds = 1;
};

void CheckGuarantee(const Guarantee& guarantee, const Asked& asked) {
  const Spend& spend = guarantee.spend();
  ASSERT_FALSE(spend.name.empty()) << "a guarantee without parts";
  const Cost own = OwnTotal(spend);
  const auto epsilon = static_cast<double>(own.epsilon);
  const auto delta = static_cast<double>(own.delta);
  EXPECT_GE(guarantee.epsilon(), epsilon * (1 - 1e-12));
  EXPECT_LE(guarantee.epsilon(), epsilon * 1.011);
  EXPECT_GE(guarantee.delta(), delta * (1 - 1e-9));
  if (!guarantee.schedule()) {
    EXPECT_LE(guarantee.delta(), delta * 1.011 + 1e-20);
  }
  EXPECT_LE(guarantee.epsilon(), asked.epsilon);
  if (asked.delta > 0) {
    EXPECT_LE(guarantee.delta(), asked.delta);
  }
  EXPECT_EQ(guarantee.rounds_per_user(), asked.rounds);
  EXPECT_EQ(ToString(guarantee.relation()), asked.relation);
  CheckNoise(spend);
}

void AddNoises(const Spend& spend, std::vector<SpentNoise>& noises) {
  if (spend.noise) noises.push_back(*spend.noise);
  for (const Spend& part : spend.parts) AddNoises(part, noises);
}

// Where all numbers of a round are of one part, and no rows are looked at
// besides, the noise is that part's.
void CheckNamed(const Spend& spend, const ReplayRng::Round& round) {
  if (spend.noise && spend.noise->scale > 0 && !round.sites.empty() &&
      round.looked.empty() &&
      std::ranges::all_of(round.sites, [&](const ReplayRng::Site& site) {
        return site.name == spend.name;
      })) {
    for (const ReplayRng::Drawn& drawn : round.drawn) {
      if (drawn.kind != ToString(spend.noise->kind)) continue;
      EXPECT_NEAR(drawn.scale, spend.noise->scale, 1e-6 * drawn.scale)
          << spend.name;
    }
  }
  for (const Spend& part : spend.parts) CheckNamed(part, round);
}

// Every sampler that draws is one of the parts', with its scale.
void CheckDrawn(const Spend& spend, const ReplayRng& rng) {
  std::vector<SpentNoise> noises;
  AddNoises(spend, noises);
  std::size_t draws = 0;
  for (const ReplayRng::Round& round : rng.rounds()) {
    CheckNamed(spend, round);
    for (const ReplayRng::Drawn& drawn : round.drawn) {
      ++draws;
      bool declared = false;
      for (const SpentNoise& noise : noises) {
        if (ToString(noise.kind) != drawn.kind) continue;
        declared |= noise.scale == 0 ||
                    std::abs(noise.scale - drawn.scale) <= 1e-6 * drawn.scale;
      }
      ASSERT_TRUE(declared) << drawn.kind << " noise of scale " << drawn.scale
                            << " is in no part of " << spend.name;
    }
  }
  const bool tables = std::ranges::all_of(noises, [](const SpentNoise& noise) {
    return noise.kind == SamplerKind::kTable;
  });
  EXPECT_EQ(draws > 0, !tables) << "noise of " << spend.name;
}

Asked AskedBy(const Settings& settings) {
  return {settings.GetDouble("epsilon"), settings.GetDouble("delta"),
          settings.Text("relation"), settings.GetInt("rounds-per-user")};
}

class PartsTest : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  Settings Make(const char* relation, const char* rounds) const {
    Settings settings = MakeBusyExample(*GetParam());
    EXPECT_TRUE(settings.Set("relation", relation));
    EXPECT_TRUE(settings.Set("rounds-per-user", rounds));
    return settings;
  }
};

TEST_P(PartsTest, ComposeToTheGuaranteeAndAreTheNoiseThatIsDrawn) {
  for (const char* relation : {"replace", "add-remove"}) {
    for (const char* rounds : {"1", "3"}) {
      const Settings settings = Make(relation, rounds);
      const ReplayModel model(*GetParam(), settings);
      ASSERT_EQ(model.refused(), "");
      ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                   settings.ToSavedJson().Dump());
      CheckGuarantee(model.guarantee(), AskedBy(settings));
      // The parts are those of the first of a schedule's deltas.
      if (const auto& schedule = model.guarantee().schedule()) {
        EXPECT_GE(
            static_cast<double>(OwnTotal(model.guarantee().spend()).delta),
            schedule->At(0) * (1 - 1e-9));
      }
      // Epsilon that is not spent is noise for nothing.
      EXPECT_GE(model.guarantee().epsilon(),
                0.98 * settings.GetDouble("epsilon"));
      ReplayRng rng(1);
      const PlayedAs as{.length = 400};
      if (GetParam()->needs_training_set) {
        model.TrainAndPlay(Change::kNone, as, rng);
      } else {
        model.Play(as, rng);
      }
      CheckDrawn(model.guarantee().spend(), rng);
    }
  }
}

// An option adds or removes parts, or moves shares between them.
TEST_P(PartsTest, WithAnOptionOffItsDefaultPartsAreTheNoiseThatIsDrawn) {
  const Settings example = Make("add-remove", "1");
  bool three = false;
  for (const auto& [name, text] : OptionsOffDefault(*GetParam(), example)) {
    three = !three;
    Settings settings = Make("add-remove", three ? "3" : "1");
    ASSERT_TRUE(settings.Set(name, text)) << name << " " << text;
    const ReplayModel model(*GetParam(), settings);
    if (!model.refused().empty()) continue;
    ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                 settings.ToSavedJson().Dump());
    CheckGuarantee(model.guarantee(), AskedBy(settings));
    ReplayRng rng(1);
    model.Play({.length = 120}, rng);
    CheckDrawn(model.guarantee().spend(), rng);
  }
}

// A user of three rounds costs three times as much of the same noise, or gets
// more of it: the cost of one round is a third.
TEST_P(PartsTest, AUserOfThreeRoundsIsPaidForThreeTimes) {
  const auto scales = [&](const char* rounds) {
    const ReplayModel model(*GetParam(), Make("add-remove", rounds));
    EXPECT_EQ(model.refused(), "");
    std::vector<SpentNoise> noises;
    AddNoises(model.guarantee().spend(), noises);
    double largest = 0;
    for (const SpentNoise& noise : noises) {
      largest = std::max(largest, noise.scale);
    }
    return largest;
  };
  const double one = scales("1");
  const double three = scales("3");
  if (one == 0) return;  // tables
  EXPECT_GT(three, 1.9 * one);
}

TEST_P(PartsTest, WithPublicMistakesTheCountIsOneOfTheParts) {
  Settings settings = Make("replace", "1");
  ASSERT_TRUE(settings.Set("public", "true"));
  if (settings.GetDouble("delta") == 0) {
    ASSERT_TRUE(settings.Set("delta", "1e-6"));
  }
  std::array<std::byte, Key::kBytes> bytes{};
  InputSpec inputs = TestInputs(*GetParam());
  auto session =
      Session::Create(*GetParam(), settings, inputs, Key::FromBytes(bytes));
  ASSERT_TRUE(session) << session.error().message;
  if ((*session)->public_mistakes() == nullptr) return;
  const Guarantee& whole = (*session)->guarantee();
  CheckGuarantee(whole, AskedBy(settings));
  ASSERT_EQ(whole.spend().parts.size(), 2U);
  const ApproximateDp count = Total(whole.spend().parts[1]);
  EXPECT_NEAR(count.epsilon, settings.GetDouble("epsilon") / 10, 1e-9);
  EXPECT_NEAR(whole.spend().parts[0].cost.epsilon,
              (*session)->model().guarantee().epsilon(), 1e-12);
  EXPECT_GT(whole.spend().parts[0].cost.delta,
            (*session)->model().guarantee().delta());
}

INSTANTIATE_TEST_SUITE_P(
    All, PartsTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

// Algorithm 7 of [POP]: its tests, its counter and the majorities it shows; in
// the agnostic form also the counter of mistakes.
TEST(PopPartsTest, AlgorithmSevenIsMadeOfItsParts) {
  const auto models = OnlineModels();
  const auto entry = std::ranges::find_if(
      models, [](const auto* one) { return one->name == "pop"; });
  ASSERT_NE(entry, models.end());
  for (const char* constants : {"least", "printed"}) {
    for (const char* rounds : {"1", "3"}) {
      for (const char* agnostic : {"0", "700"}) {
        Settings settings = MakeBusyExample(**entry);
        for (const auto& [name, text] :
             std::vector<std::pair<std::string, std::string>>{
                 {"epsilon", "8"},
                 {"delta", "1e-3"},
                 {"variant", "paper"},
                 {"horizon", "300"},
                 {"reports", "30"},
                 {"mistake-bound", "1"},
                 {"agnostic", agnostic},
                 {"constants", constants},
                 {"rounds-per-user", rounds}}) {
          ASSERT_TRUE(settings.Set(name, text)) << name;
        }
        const ReplayModel model(**entry, settings);
        ASSERT_EQ(model.refused(), "") << constants << " " << rounds;
        CheckGuarantee(model.guarantee(), AskedBy(settings));
        ReplayRng rng(1);
        model.Play({.length = 200}, rng);
        CheckDrawn(model.guarantee().spend(), rng);
      }
    }
  }
}

// [PERP] as printed: slices, recycled copies, choices and paid votes.
TEST(PerpPartsTest, ThePapersLinesAreMadeOfTheirParts) {
  for (const OnlineModelEntry* entry : OnlineModels()) {
    const bool teachers = entry->name == "everlasting";
    if (entry->name != "rectangles" && entry->name != "stumps" && !teachers) {
      continue;
    }
    for (const char* constants : {"least", "printed"}) {
      for (const char* rounds : {"1", "3"}) {
        Settings settings = MakeBusyExample(*entry);
        std::vector<std::pair<std::string, std::string>> said = {
            {"epsilon", "8"},
            {"delta", "1e-3"},
            {"calibration", "paper"},
            {"error", "0.2"},
            {"relation", rounds[0] == '3' ? "replace" : "add-remove"},
            {"rounds-per-user", rounds}};
        if (!teachers) said.emplace_back("constants", constants);
        for (const auto& [name, text] : said) {
          ASSERT_TRUE(settings.Set(name, text)) << name;
        }
        ::testing::ScopedTrace trace(
            __FILE__, __LINE__, std::string(entry->name) + " " + constants);
        const ReplayModel model(*entry, settings);
        if (entry->name == "stumps" && constants[0] == 'p' &&
            rounds[0] == '3') {
          EXPECT_NE(model.refused().find("2^40"), std::string::npos);
          continue;
        }
        ASSERT_EQ(model.refused(), "");
        CheckGuarantee(model.guarantee(), AskedBy(settings));
        EXPECT_GE(model.guarantee().epsilon(), 0.98 * 8);
        ReplayRng rng(1);
        model.TrainAndPlay(Change::kNone, {.length = 200}, rng);
        CheckDrawn(model.guarantee().spend(), rng);
      }
    }
  }
}

// DP-OL: the promise is computed from its tests and draws, whichever numbers.
TEST(LittlestonePartsTest, DpOlIsMadeOfItsParts) {
  const auto models = OnlineModels();
  const auto entry = std::ranges::find_if(
      models, [](const auto* one) { return one->name == "littlestone"; });
  ASSERT_NE(entry, models.end());
  for (const char* constants : {"least", "printed"}) {
    for (const char* rounds : {"1", "3"}) {
      Settings settings = MakeBusyExample(**entry);
      for (const auto& [name, text] :
           std::vector<std::pair<std::string, std::string>>{
               {"epsilon", "8"},
               {"delta", "1e-3"},
               {"class", "points:8"},
               {"calibration", "paper"},
               {"limit", "60"},
               {"constants", constants},
               {"rounds-per-user", rounds}}) {
        ASSERT_TRUE(settings.Set(name, text)) << name;
      }
      const ReplayModel model(**entry, settings);
      ASSERT_EQ(model.refused(), "") << constants << " " << rounds;
      CheckGuarantee(model.guarantee(), AskedBy(settings));
      ReplayRng rng(1);
      model.Play({.length = 300}, rng);
      CheckDrawn(model.guarantee().spend(), rng);
    }
  }
}

// Settings of a batch model's own example.
Settings BatchExample(const BatchModelEntry& entry) {
  Settings settings(
      ConcatOptions({PrivacyOptions(), entry.options, entry.plan_options}));
  std::istringstream words{std::string(entry.example)};
  std::string word;
  while (words >> word) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2);
    const Option* option = FindOption(settings.table(), name);
    if (option == nullptr) continue;
    std::string text = "true";
    if (option->type != OptionType::kFlag) words >> text;
    EXPECT_TRUE(settings.Set(name, text)) << name << " " << text;
  }
  return settings;
}

class BatchPartsTest : public ::testing::TestWithParam<const BatchModelEntry*> {
};

TEST_P(BatchPartsTest, ComposeToTheGuaranteeOfThePlan) {
  for (const char* relation : {"replace", "add-remove"}) {
    for (const char* rounds : {"1", "3"}) {
      Settings settings = BatchExample(*GetParam());
      ASSERT_TRUE(settings.Set("relation", relation));
      ASSERT_TRUE(settings.Set("rounds-per-user", rounds));
      ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                   settings.ToSavedJson().Dump());
      const auto plan = GetParam()->plan(settings);
      ASSERT_TRUE(plan) << plan.error().message;
      CheckGuarantee(plan->guarantee, AskedBy(settings));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BatchPartsTest, ::testing::ValuesIn(BatchModels()),
    [](const ::testing::TestParamInfo<const BatchModelEntry*>& entry) {
      std::string name(entry.param->name);
      std::ranges::replace(name, '-', '_');
      return name;
    });

// --- Fits, on batches.

// Rows of which the user's are the first ones of each kind, held out or not.
FitBatch Rows(const FitColumns& columns, std::size_t changed, bool absent,
              bool held_out) {
  FitBatch batch(columns.size());
  std::size_t left = changed;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const bool held = FitBatch::HeldOut(i);
    std::vector<std::uint32_t> codes(columns.size(), (i * 37 % 64) << 26);
    bool label = i % 64 >= 32;
    if (left > 0 && held == held_out) {
      --left;
      if (absent) {
        batch.PadTo(batch.size() + 1);
        continue;
      }
      for (std::uint32_t& code : codes) code = ~code;
      label = !label;
    }
    batch.Add(codes, label, held);
  }
  batch.SetPublicPlaces(batch.size());
  return batch;
}

// Options of all fits: some fits make others.
OptionTable AllFitOptions() {
  OptionTable table = ConcatOptions({PrivacyOptions(), FitOptions()});
  for (const FitEntry* entry : Fits()) {
    for (const Option& option : entry->options) {
      if (FindOption(table, option.name) == nullptr) table.push_back(option);
    }
  }
  return table;
}

class FitPartsTest : public ::testing::TestWithParam<const FitEntry*> {};

// All rows of a user, in the fitted part and in the held-out part, cost what
// the fit says, and no less: its noise is no larger than it has to be.
TEST_P(FitPartsTest, TheRowsOfAUserCostTheWholeBudgetAndNoMore) {
  const FitEntry& entry = *GetParam();
  // Lists have a joint cost, and functions need a class of points.
  if (entry.name == "list" || entry.name == "finite") return;
  Settings settings(AllFitOptions());
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    for (const std::uint64_t rounds : {1, 3}) {
      const FitBudget budget{
          .user = {1.5, 0}, .relation = relation, .rounds_per_user = rounds};
      InputSpec inputs{.features = 2, .dense = 2};
      inputs.names = {"a", "b"};
      const auto columns = entry.columns(settings, inputs);
      ASSERT_TRUE(columns);
      const auto fit = entry.create(settings, *columns, budget);
      ASSERT_TRUE(fit) << fit.error().message;
      CheckNoise((*fit)->spend());
      EXPECT_LE((*fit)->epsilon(), 1.5);
      EXPECT_GE((*fit)->epsilon(), 1.5 * 0.99);
      double most = 0;
      for (const bool held_out : {false, true}) {
        const bool absent = relation == Relation::kAddRemove;
        ReplayRng here(1);
        const auto zero =
            (*fit)->Fit(Rows(*columns, 0, absent, held_out), here);
        here.End();
        CheckDrawn((*fit)->spend(), here);
        ReplayRng there(1, here);
        const auto one =
            (*fit)->Fit(Rows(*columns, rounds, absent, held_out), there);
        there.End();
        EXPECT_EQ(zero, one);
        const double loss = RowLoss(here, there);
        EXPECT_LE(loss, 1.5 * (1 + 1e-9)) << entry.name;
        most = std::max(most, loss);
      }
      EXPECT_GE(most, 1.5 * 0.98)
          << entry.name << " has more noise than needed";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FitPartsTest, ::testing::ValuesIn(Fits()),
    [](const ::testing::TestParamInfo<const FitEntry*>& entry) {
      return std::string(entry.param->name);
    });

}  // namespace
}  // namespace sotto
