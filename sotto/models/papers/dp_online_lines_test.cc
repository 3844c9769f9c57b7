// DpOnlineLearner against the lines of the paper, written down once more,
// answer by answer with the noise given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/mechanisms/selection/selection_params.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/wide_uniform.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Params = DpOnlineLearner::Params;
using Labels = TeacherLists::Labels;

FixedWorkLaplace Laplace(double rate) {
  return *FixedWorkLaplace::Create(*RationalBelow(rate));
}

// A round: x and y, if it was answered and its label came.
struct Ended {
  bool there = false;
  std::uint32_t x = 0;
  bool y = false;
};

// Algorithms 3 and 4, with line 20 corrected (erratum 33): a teacher is drawn
// for every round. Classes whose functions all come apart, and points:N.
class Printed {
 public:
  Printed(const Params& params, std::int64_t bottom)
      : params_(params),
        bottom_(bottom),
        mistakes_noise_(Laplace(params.mistake_rate)),
        agreement_noise_(Laplace(params.agreement)),
        selection_(
            *ExponentialSelection::Create(*RationalBelow(params.sample_rate))),
        budget_(params.calls),
        s_(params.teachers) {
    for (std::size_t f = 0; f < params.functions->size(); ++f) {
      h_.push_back(GetLabels(*params.functions, f));
    }
    std::ranges::sort(h_);
    hypothesis_ = ComputeMajority(h_);
  }

  // Lines 11 to 24 for the round before.
  void EndRound(const Ended& round, Rng& rng) {
    if (t_++ == 0) JointTrain(rng);  // line 6
    const auto teacher =
        static_cast<std::size_t>(WideUniformBelow(params_.teachers, rng));
    if (budget_ == 0 || j_ > params_.stages) return;  // line 18
    if (round.there && round.y != hypothesis_[round.x]) {
      e_.push_back({{round.x, round.y}, teacher});  // line 13
    }
    const auto size = static_cast<std::int64_t>(e_.size());
    if (size + mistakes_noise_.Sample(rng) <= params_.limit) return;  // 15
    --budget_;
    for (auto& collection : s_) collection.emplace_back();  // 20, 21
    for (const auto& [example, part] : e_) s_[part].back().push_back(example);
    e_.clear();  // 23
    JointTrain(rng);
  }
  bool Predict(std::uint32_t x) const { return hypothesis_[x]; }
  std::uint64_t calls() const { return params_.calls - budget_; }
  std::uint64_t stage() const { return j_; }

 private:
  using Example = std::pair<std::uint32_t, bool>;
  using Set = std::vector<Labels>;  // sorted

  static Labels ComputeMajority(const Set& functions) {
    Labels labels(functions.front().size());
    for (std::size_t x = 0; x < labels.size(); ++x) {
      const auto ones = std::ranges::count_if(
          functions, [&](const Labels& f) { return f[x]; });
      labels[x] = 2 * static_cast<std::size_t>(ones) > functions.size();
    }
    return labels;
  }

  void JointTrain(Rng& rng) {
    while (j_ <= params_.stages) {
      std::map<Labels, std::int64_t> frequency;
      std::int64_t m = 0;
      for (const auto& collection : s_) {
        for (const Labels& f : Essential(DefineClass(collection))) {
          m = std::max(m, ++frequency[f]);
        }
      }
      if (m + agreement_noise_.Sample(rng) > params_.threshold) {
        SampleMajority(frequency, rng);
        return;
      }
      ++j_;
    }
  }

  void SampleMajority(const std::map<Labels, std::int64_t>& frequency,
                      Rng& rng) {
    std::vector<std::int64_t> scores = {bottom_};
    Set candidates;
    for (const auto& [f, count] : frequency) {
      candidates.push_back(f);
      scores.push_back(count);
    }
    Set drawn;
    for (std::uint64_t r = 0; r < params_.votes; ++r) {
      const std::size_t place = selection_.Select(scores, rng);
      if (place > 0) drawn.push_back(candidates[place - 1]);
    }
    hypothesis_ = ComputeMajority(drawn.empty() ? h_ : drawn);
  }

  Set DefineClass(const std::vector<std::vector<Example>>& collection) const {
    const std::uint64_t tolerance =
        StageTolerance(0.1, params_.dimension, 5, j_);  // erratum 25
    Set kept;
    for (const Labels& f : h_) {
      const bool good = std::ranges::all_of(collection, [&](const auto& part) {
        const auto wrong = static_cast<std::uint64_t>(std::ranges::count_if(
            part, [&](const Example& e) { return f[e.first] != e.second; }));
        return wrong << 32 <= tolerance * part.size();
      });
      if (good) kept.push_back(f);
    }
    return kept;
  }

  // (2^j p, d)-essential: teacher_lists.md, steps 1 and 5.
  Set Essential(Set kept) const {
    const std::size_t q = params_.p << j_;
    if (params_.form == TeacherLists::Form::kPoints && kept.size() >= q + 2) {
      return {Labels(h_.front().size(), false)};
    }
    kept.resize(std::min(kept.size(), params_.list_size));
    return kept;
  }

  Params params_;
  std::int64_t bottom_;  // B
  FixedWorkLaplace mistakes_noise_;
  FixedWorkLaplace agreement_noise_;
  ExponentialSelection selection_;
  std::uint64_t budget_;  // K_budget
  std::vector<std::vector<std::vector<Example>>> s_;
  std::vector<std::pair<Example, std::size_t>> e_;
  Set h_;
  Labels hypothesis_;
  std::uint64_t j_ = 1;  // j*
  std::uint64_t t_ = 0;
};

struct Reached {
  std::uint64_t calls = 0;
  std::uint64_t stage = 0;
};

// Every seventh user is absent, every fifth label is missing; from round
// `turn` on another function labels.
Reached Replay(const Params& params, std::uint64_t rounds, std::uint64_t turn) {
  auto learner = DpOnlineLearner::Create(params);
  EXPECT_TRUE(learner) << learner.error().message;
  if (!learner) return {};
  Printed printed(params, learner->sample().bottom());
  testing::SeededRng here(4);
  testing::SeededRng there(4);
  testing::SeededRng data(5);
  const FiniteClass& functions = *params.functions;
  Ended before;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    printed.EndRound(before, there);
    before = {};
    if (t % 7 == 3) {
      learner->PlayEmptyRound(here);
    } else {
      const std::size_t f = t < turn ? 1 : functions.size() - 1;
      auto x = static_cast<std::uint32_t>(data.Next() % functions.points());
      if (t % 2 == 0) x = f == 1 ? 1 : 0;  // its own points, often
      const bool y = functions.Label(f, x);
      const auto round = learner->Open(x, here);
      EXPECT_EQ(round.prediction, printed.Predict(x)) << t;
      if (round.prediction != printed.Predict(x)) return {};
      if (t % 5 != 2) {
        learner->Close(round, y);
        before = {true, x, y};
      }
    }
    EXPECT_EQ(learner->changes(), printed.calls()) << t;
    EXPECT_EQ(learner->stage(), printed.stage()) << t;
  }
  EXPECT_EQ(here.Next(), there.Next());
  return {printed.calls(), printed.stage()};
}

TEST(DpOnlineLinesTest, AnswersAsTheLinesOfThePaperForPoints) {
  for (const bool printed : {false, true}) {
    const auto params =
        ChooseDpOnline({.functions = std::make_shared<const FiniteClass>(
                            *FiniteClass::Named("points", 64)),
                        .user = {8, 1e-3},
                        .horizon = 100'000,
                        .printed = printed});
    ASSERT_TRUE(params) << params.error().message;
    EXPECT_EQ(params->form, TeacherLists::Form::kPoints);
    const Reached reached = Replay(*params, 100'000, 30'000);
    EXPECT_GE(reached.calls, 2U);
    EXPECT_TRUE(printed || reached.stage == params->stages + 1);
  }
}

TEST(DpOnlineLinesTest, AnswersAsTheLinesOfThePaperForThresholds) {
  const auto params =
      ChooseDpOnline({.functions = std::make_shared<const FiniteClass>(
                          *FiniteClass::Named("thresholds", 7)),
                      .user = {8, 1e-3},
                      .p = 7,
                      .stages = 3,
                      .calls = 6,
                      .votes = 5,
                      .limit = 300});
  ASSERT_TRUE(params) << params.error().message;
  const Reached reached = Replay(*params, 100'000, 40'000);
  EXPECT_GE(reached.calls, 2U);
  EXPECT_GE(reached.stage, 2U);
}

}  // namespace
}  // namespace sotto
