#include "sotto/models/papers/littlestone_erm_plan.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"

namespace sotto {
namespace {

using Params = LittlestoneErm::Params;

constexpr double kMostEpsilon = 16;
constexpr double kFailure = 0.05;
constexpr double kProperShare = 0.25;
constexpr double kTestShare =
    1.0 / 3;  // of what is left, where there are tests

// As many stages as it takes until every set comes apart; after d + 1 nothing
// more is gained.
std::uint64_t StagesFor(const FiniteClass& functions, int dimension,
                        std::uint64_t p) {
  std::uint64_t stage = 1;
  const auto most = static_cast<std::uint64_t>(dimension) + 1;
  while (stage < most &&
         !TeacherLists::TakesApart(functions, functions.size(), p << stage)) {
    ++stage;
  }
  return stage;
}

// Step 4: who gets what of the cost of one row.
Status Share(const ApproximateDp& each, bool proper, Params& params) {
  const double left = proper ? (1 - kProperShare) * each.epsilon : each.epsilon;
  params.proper_epsilon =
      proper ? kProperShare * each.epsilon * (1 - 1e-12) : 0;
  params.sample = {left * (1 - 1e-12), each.delta * (1 - 1e-12)};
  if (params.stages == 1) return Ok();
  params.test_epsilon = kTestShare * params.sample.epsilon * (1 - 1e-12);
  params.sample.epsilon *= (1 - kTestShare) * (1 - 1e-12);
  SOTTO_TRY_ASSIGN(const auto test,
                   AboveThreshold::Create({.epsilon = params.test_epsilon}));
  params.sample.delta = DownAdd(params.sample.delta, -test.guarantee().delta());
  return Ok();
}

// Twice as many as must agree, so that half of them may be wrong.
Result<std::uint64_t> TeachersFor(const Params& params) {
  constexpr std::size_t kMany = 64;  // only for the sampler's slack
  SOTTO_TRY_ASSIGN(const auto sample,
                   SparseSample::Create({.epsilon = params.sample.epsilon,
                                         .delta = params.sample.delta,
                                         .list_size = params.list_size,
                                         .max_lists = kMany,
                                         .relation = Relation::kReplace}));
  auto needed = sample.ScoreFor(kFailure / 4);
  if (params.stages > 1) {
    SOTTO_TRY_ASSIGN(const auto test,
                     AboveThreshold::Create({.epsilon = params.test_epsilon}));
    needed += test.ErrorBound(params.stages, kFailure / 4);
  }
  return 2 * static_cast<std::uint64_t>(std::max<std::int64_t>(needed, 1));
}

// The numbers of the proof of Theorem 3.
void TakePaper(const ErmOptions& options, const ApproximateDp& each,
               Params& params) {
  const int d = std::max(params.dimension, 1);
  const PaperErm paper =
      PaperErmFor(d, options.error, kFailure, each.epsilon, each.delta);
  params.teachers =
      static_cast<std::uint64_t>(std::ceil(std::min(paper.teachers, 0x1p40)));
  params.p = static_cast<std::uint64_t>(
      std::min(paper.rows * d, static_cast<double>(TeacherLists::kMaxP)));
  params.stages = static_cast<std::uint64_t>(d) + 1;
  params.tolerance = options.error;
}

}  // namespace

Result<Params> ChooseErm(const ErmOptions& options) {
  SOTTO_TRY_ASSIGN(
      const auto each,
      PerRoundTarget(options.budget.user, options.budget.rounds_per_user));
  if (!(each.delta > 0)) {
    return InvalidArgument(
        "littlestone-erm needs a delta above 0; `finite` needs none");
  }
  if (each.epsilon > kMostEpsilon) {
    return InvalidArgument("littlestone-erm takes an epsilon of at most 16");
  }
  const FiniteClass& functions = *options.functions;
  const DimensionBounds bounds = QuickDimension(functions);
  Params params{.functions = options.functions,
                .dimension = bounds.hi,
                .budget = options.budget};
  params.p = std::min<std::uint64_t>(
      {functions.points(), functions.size(), TeacherLists::kMaxP});
  params.p = options.p.value_or(std::max<std::uint64_t>(params.p, 1));
  params.stages = StagesFor(functions, params.dimension, params.p);
  if (options.paper) TakePaper(options, each, params);
  params.form = options.form
                    ? TeacherLists::FormFor(functions, params.p, *options.form)
                    : TeacherLists::FormFor(functions, params.p);
  params.stages = options.stages.value_or(params.stages);
  params.tolerance = options.tolerance.value_or(params.tolerance);
  params.list_size = options.list_size.value_or(TeacherLists::MostItems(
      functions, params.dimension,
      std::min(params.p << params.stages, TeacherLists::kMaxP)));
  SOTTO_TRY(Share(each, options.proper, params));
  SOTTO_TRY_ASSIGN(const auto teachers, TeachersFor(params));
  if (!options.paper) params.teachers = teachers;
  params.teachers = options.teachers.value_or(params.teachers);
  if (params.teachers > LittlestoneErm::kMaxTeachers) {
    return InvalidArgument("epsilon is too small: it would take " +
                           WithCommas(params.teachers) +
                           " teachers, more than are run");
  }
  params.threshold = static_cast<std::int64_t>((params.teachers + 1) / 2);
  return params;
}

}  // namespace sotto
