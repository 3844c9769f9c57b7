#include "sotto/models/fits/tree_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

// Part of a row's rate that leaves get; levels share the rest evenly.
constexpr double kLeafShare = 0.125;
constexpr int kLeafBits = 100;
// Nats for ln(splits) that each node needs for a tree to be one level deeper.
constexpr double kEnough = 60;
constexpr std::uint32_t kUsualDepth = 3;

// Below share * rate, also if both were rounded.
Result<Rational> ComputePart(const Rational& rate, double share) {
  return RationalBelow(StepDown(StepDown(rate.ToDoubleDown() * share)));
}

double LogSplits(const SplitWeights& splits) {
  return std::log(static_cast<double>(splits.units()) + 2);
}

// Which label a leaf has: a draw between two candidates by their errors.
bool DrawLabel(const std::array<std::uint64_t, 2>& rows,
               const LossWeights& weights, Rng& rng) {
  const std::uint64_t least = std::min(rows[0], rows[1]);
  const Uint128 negative = weights(rows[1] - least);
  const Uint128 positive = weights(rows[0] - least);
  return WideUniformBelow(negative + positive, rng) >= negative;
}

// A complete tree: node i has the children 2i + 1 for "no" and 2i + 2 for
// "yes"; the last level are labels.
struct FullTree {
  std::vector<Split> splits;
  std::vector<bool> labels;
};

// The tests of the subtree at `node`, without questions whose answer changes
// nothing, appended; where it begins.
std::int32_t Append(const FullTree& tree, std::size_t node,
                    std::vector<FitTest>& tests) {
  if (node >= tree.splits.size()) {
    return FitTest::Leaf(tree.labels[node - tree.splits.size()]);
  }
  const std::size_t place = tests.size();
  const Split& split = tree.splits[node];
  tests.push_back(
      {.kind = split.kind, .column = split.column, .code = split.code});
  const std::int32_t yes = Append(tree, 2 * node + 2, tests);
  const std::int32_t no = Append(tree, 2 * node + 1, tests);
  if (yes == no) {  // then both are labels
    tests.resize(place);
    return yes;
  }
  tests[place].yes = yes;
  tests[place].no = no;
  return static_cast<std::int32_t>(place);
}

FitHypothesis GetHypothesis(const FullTree& tree) {
  std::vector<FitTest> tests;
  const std::int32_t root = Append(tree, 0, tests);
  if (root < 0) return FitHypothesis::Constant(root == FitTest::kPositive);
  return FitHypothesis(std::move(tests));
}

Result<std::unique_ptr<PrivateFit>> Make(const Settings& settings,
                                         const FitColumns& columns,
                                         const FitBudget& budget) {
  const std::string& depth = settings.Text("depth");
  return TreeFit::Create(
      columns, depth == "auto" ? 0 : static_cast<std::uint32_t>(depth[0] - '0'),
      budget);
}

}  // namespace

Result<std::unique_ptr<PrivateFit>> TreeFit::Create(const FitColumns& columns,
                                                    std::uint32_t depth,
                                                    const FitBudget& budget) {
  if (depth > kMaxDepth) return InvalidArgument("a tree has at most 4 levels");
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(const auto leaf, ComputePart(rate, kLeafShare));
  std::vector<Plan> plans;
  for (std::uint32_t levels = 1; levels <= kMaxDepth; ++levels) {
    SOTTO_TRY_ASSIGN(const auto level,
                     ComputePart(rate, (1 - kLeafShare) / levels));
    SOTTO_TRY_ASSIGN(auto splits,
                     SplitWeights::Create(columns, SplitLoss::kGini, level));
    plans.push_back({level, std::move(splits)});
  }
  SOTTO_TRY_ASSIGN(auto leaves, LossWeights::Create(leaf, kLeafBits));
  return std::unique_ptr<PrivateFit>(new TreeFit(
      columns, depth, budget, std::move(plans), leaf, std::move(leaves)));
}

// Every level and the leaves look at a row once. The loss of a split is in
// units of which a row has `unit`.
Spend TreeFit::spend() const {
  std::vector<Spend> depths;
  for (std::uint32_t depth = 1; depth <= kMaxDepth; ++depth) {
    if (depth_ != 0 && depth != depth_) continue;
    const SplitWeights& splits = plans_[depth - 1].splits;
    std::vector<Spend> parts(
        depth,
        DrawCost("level", budget_, splits.rate(),
                 static_cast<double>(SplitWeights::unit(SplitLoss::kGini))));
    parts.push_back(DrawCost("leaves", budget_, leaf_rate_));
    depths.push_back(AddParts("depth " + std::to_string(depth), parts));
  }
  return depths.size() == 1 ? depths.front() : TakeLargest("tree", depths);
}

// The rows of a node of the last level, times the rate of that level, should
// tell the best of its splits from the others.
std::uint32_t TreeFit::DepthFor(double places) const {
  if (depth_ > 0) return depth_;
  if (places == 0) return kUsualDepth;
  std::uint32_t depth = 1;
  for (std::uint32_t more = 2; more <= kMaxDepth; ++more) {
    const Plan& plan = plans_[more - 1];
    const double nodes = std::ldexp(1.0, static_cast<int>(more) - 1);
    const double prediction = plan.rate.ToDoubleDown() * places / nodes;
    if (prediction >= kEnough * LogSplits(plan.splits)) depth = more;
  }
  return depth;
}

// Every level splits all of its nodes, empty ones too, so that the number of
// draws is public.
FitHypothesis TreeFit::Fit(const FitBatch& batch, Rng& rng) const {
  const auto depth = DepthFor(static_cast<double>(batch.public_places()));
  const SplitWeights& splits = plans_[depth - 1].splits;
  std::vector<std::uint8_t> nodes(batch.size(), 0);  // within the level
  FullTree tree;
  for (std::uint32_t level = 0; level < depth; ++level) {
    const std::size_t first = tree.splits.size();
    const std::size_t count = std::size_t{1} << level;
    ReportRows(batch, splits.weights(), SplitWeights::unit(splits.loss()), rng);
    const SplitScan scan(columns_, batch, nodes, count, splits);
    for (std::size_t node = 0; node < count; ++node) {
      const Split drawn =
          scan.At(node, WideUniformBelow(scan.total(node), rng));
      tree.splits.push_back(SameChoice(drawn, rng));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Split& split = tree.splits[first + nodes[i]];
      nodes[i] = static_cast<std::uint8_t>(2 * nodes[i] +
                                           (split.Holds(batch.row(i)) ? 1 : 0));
    }
  }
  std::vector<std::array<std::uint64_t, 2>> rows(std::size_t{1} << depth);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint8_t label = batch.label(i);
    rows[nodes[i]][label & 1] += static_cast<std::uint64_t>(label < 2);
  }
  ReportRows(batch, leaves_, 1, rng);
  for (const auto& leaf : rows) {
    tree.labels.push_back(SameChoice(DrawLabel(leaf, leaves_, rng), rng));
  }
  return GetHypothesis(tree);
}

// To choose well among the splits of a node takes about ln(splits) / rate rows;
// before that a tree is as good as a constant.
double TreeFit::ExpectedError(double rows) const {
  constexpr double kConstant = 0.3;
  const std::uint32_t depth = depth_ > 0 ? depth_ : kUsualDepth;
  const Plan& plan = plans_[depth - 1];
  const double nodes = std::ldexp(1.0, static_cast<int>(depth) - 1);
  const double lost = nodes * (LogSplits(plan.splits) + 1) /
                      (plan.rate.ToDoubleDown() * std::max(rows, 1.0));
  return kConstant * lost / (kConstant + lost);
}

// Every draw loses at most ln(candidates / failure) / rate in Gini units.
double TreeFit::RowsFor(double error, double failure) const {
  const std::uint32_t depth = depth_ > 0 ? depth_ : kUsualDepth;
  const Plan& plan = plans_[depth - 1];
  const double draws = std::ldexp(1.0, static_cast<int>(depth) + 1);
  const double candidates =
      static_cast<double>(plan.splits.units()) * SplitWeights::kCells;
  return draws * std::log(candidates * draws / failure) /
         (plan.rate.ToDoubleDown() * error);
}

Json TreeFit::parameters() const {
  Json depth = "auto";
  if (depth_ > 0) depth = depth_;
  return Json::Object{{"columns", columns_.size()},
                      {"depth", std::move(depth)},
                      {"leaf_share", kLeafShare}};
}

std::vector<Rational> TreeFit::RatesAt(std::uint32_t depth) const {
  std::vector<Rational> rates(depth, plans_[depth - 1].rate);
  rates.push_back(leaf_rate_);
  return rates;
}

std::string TreeFit::Summary() const {
  return (depth_ > 0 ? "trees of depth " + std::to_string(depth_)
                     : "trees of depth 1 to 4") +
         " over " + WithCommas(columns_.size()) + " columns";
}

const FitEntry& TreeEntry() {
  static const FitEntry kEntry = {
      .name = "tree",
      .help = "a small readable decision tree; pure epsilon",
      .example = "--epsilon 1 --depth 3",
      .options = {{.name = "depth",
                   .fallback = "auto",
                   .help =
                       "Depth of the tree. auto: as deep as the rows allow.",
                   .words = {"auto", "1", "2", "3", "4"},
                   .group = "Learning"}},
      .columns = AllColumns,
      .create = Make};
  return kEntry;
}

}  // namespace sotto
