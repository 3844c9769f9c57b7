#include "sotto/models/papers/littlestone_erm.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/composition.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/number_text.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/papers/proper_support.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

using Params = LittlestoneErm::Params;

constexpr std::uint64_t kMaxStages = 21;

TeacherLists::Params MakeListParams(const Params& params) {
  return {.functions = params.functions,
          .dimension = params.dimension,
          .list_size = params.list_size,
          .form = params.form};
}

Status CheckRanges(const Params& params) {
  if (params.teachers < 1 || params.teachers > LittlestoneErm::kMaxTeachers) {
    return InvalidArgument("teachers: expected 1 to 2^20");
  }
  if (params.stages < 1 || params.stages > kMaxStages) {
    return InvalidArgument("stages: expected 1 to 21");
  }
  if (!(params.tolerance >= 0) || params.tolerance >= 1) {
    return InvalidArgument("tolerance: expected a share of the rows, below 1");
  }
  if (!(params.proper_epsilon >= 0)) {
    return InvalidArgument("the share of epsilon for a function of the class");
  }
  return TeacherLists::Check(MakeListParams(params), params.p);
}

Result<AboveThreshold> MakeTest(const Params& params) {
  return AboveThreshold::Create(
      {.epsilon = params.test_epsilon, .threshold = params.threshold});
}

Spend NamePart(std::string name, const Guarantee& guarantee) {
  return MakePart(std::move(name), {guarantee.epsilon(), guarantee.delta()});
}

// Step 4: the total cost of one row, for each row of a user.
Result<Spend> ComputeSpend(const Params& params, const SparseSample& sample) {
  std::vector<Spend> parts = {NamePart("sample", sample.guarantee())};
  if (params.stages > 1) {
    SOTTO_TRY_ASSIGN(const auto test, MakeTest(params));
    parts.push_back(NamePart("test of agreement", test.guarantee()));
  }
  if (params.proper_epsilon > 0) {
    parts.push_back(MakePart("proper function", {params.proper_epsilon, 0}));
  }
  return ForSteps(AddParts("row", std::move(parts)),
                  params.budget.rounds_per_user);
}

Result<std::optional<LossWeights>> ProperWeights(const Params& params) {
  if (params.proper_epsilon == 0) return std::optional<LossWeights>();
  SOTTO_TRY(CheckProperSize(*params.functions));
  SOTTO_TRY_ASSIGN(const auto rate,
                   RowRate({.user = {params.proper_epsilon, 0},
                            .relation = params.budget.relation}));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(rate, FiniteFit::kBits));
  return std::optional<LossWeights>(std::move(weights));
}

double LogChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

Result<std::unique_ptr<LittlestoneErm>> LittlestoneErm::Create(Params params) {
  SOTTO_TRY(CheckRanges(params));
  SOTTO_TRY_ASSIGN(auto sample,
                   SparseSample::Create({.epsilon = params.sample.epsilon,
                                         .delta = params.sample.delta,
                                         .list_size = params.list_size,
                                         .max_lists = params.teachers,
                                         .relation = Relation::kReplace}));
  SOTTO_TRY_ASSIGN(auto spend, ComputeSpend(params, sample));
  SOTTO_TRY(StatedCost(spend, params.budget.user));
  SOTTO_TRY_ASSIGN(auto proper, ProperWeights(params));
  return std::unique_ptr<LittlestoneErm>(
      new LittlestoneErm(std::move(params), std::move(spend), std::move(sample),
                         std::move(proper)));
}

LittlestoneErm::LittlestoneErm(Params params, Spend spend, SparseSample sample,
                               std::optional<LossWeights> proper)
    : params_(std::move(params)),
      spend_(std::move(spend)),
      sample_(std::move(sample)),
      proper_(std::move(proper)) {}

std::uint64_t LittlestoneErm::PAt(std::uint64_t stage) const {
  return std::min(params_.p << stage, TeacherLists::kMaxP);
}

FiniteClass::Set LittlestoneErm::Kept(const Chunk& chunk,
                                      std::uint64_t stage) const {
  return KeptBy(*params_.functions, chunk,
                StageTolerance(params_.tolerance, params_.dimension,
                               kStageDivisor, stage));
}

// Step 1: where a row goes is drawn without looking at it. Rows that name no
// point of the class are dealt out, and dropped.
std::vector<LittlestoneErm::Chunk> LittlestoneErm::Deal(const FitBatch& batch,
                                                        Rng& rng) const {
  std::vector<Chunk> chunks(params_.teachers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto teacher =
        static_cast<std::size_t>(WideUniformBelow(params_.teachers, rng));
    if (batch.label(i) == FitBatch::kEmpty ||
        batch.code(i, 0) >= params_.functions->points()) {
      continue;
    }
    chunks[teacher].emplace_back(batch.code(i, 0), batch.label(i) == 1);
  }
  return chunks;
}

// Steps 2 and 3. Nothing: no stage, or nothing drawn.
std::optional<TeacherLists::Labels> LittlestoneErm::Agree(
    const std::vector<Chunk>& chunks, Rng& rng) const {
  TeacherLists teacher(MakeListParams(params_));
  std::optional<AboveThreshold> test;
  if (params_.stages > 1) test = *MakeTest(params_);
  for (std::uint64_t stage = 1; stage <= params_.stages; ++stage) {
    std::vector<std::vector<SparseSample::Item>> lists;
    lists.reserve(chunks.size());
    for (const Chunk& chunk : chunks) {
      lists.push_back(teacher.Of(Kept(chunk, stage), PAt(stage)));
    }
    if (test && test->Test(TopFrequency(lists), rng) !=
                    AboveThreshold::Answer::kAbove) {
      continue;
    }
    const auto drawn = sample_.Sample(lists, rng);
    if (!drawn || !*drawn) return std::nullopt;
    return teacher.labels(**drawn);
  }
  return std::nullopt;
}

// Step 5.
TeacherLists::Labels LittlestoneErm::MakeProper(TeacherLists::Labels labels,
                                                const FitBatch& batch,
                                                Rng& rng) const {
  const auto support = ProperSupport(*params_.functions, labels);
  Chunk rows;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.label(i) == FitBatch::kEmpty ||
        batch.code(i, 0) >= params_.functions->points()) {
      continue;
    }
    rows.emplace_back(batch.code(i, 0), batch.label(i) == 1);
  }
  const auto errors = ErrorsOn(*params_.functions, rows);
  std::vector<std::uint64_t> losses;
  losses.reserve(support.size());
  for (const std::size_t h : support) losses.push_back(errors[h]);
  const std::size_t chosen = FiniteFit::Draw(losses, *proper_, rng);
  return GetLabels(*params_.functions, support[chosen]);
}

FitHypothesis LittlestoneErm::Fit(const FitBatch& batch, Rng& rng) const {
  auto labels = Agree(Deal(batch, rng), rng).value_or(Majority());
  if (proper_) labels = MakeProper(std::move(labels), batch, rng);
  return FitHypothesis::Table(std::move(labels));
}

FitHypothesis LittlestoneErm::First() const {
  const TeacherLists::Labels labels = Majority();
  if (!proper_) return FitHypothesis::Table(labels);
  const auto support = ProperSupport(*params_.functions, labels);
  return FitHypothesis::Table(GetLabels(*params_.functions, support.front()));
}

TeacherLists::Labels LittlestoneErm::Majority() const {
  const FiniteClass& functions = *params_.functions;
  TeacherLists::Labels labels(functions.points());
  for (std::size_t x = 0; x < labels.size(); ++x) {
    labels[x] = 2 * CountMembers(functions.Ones(x)) > functions.size();
  }
  return labels;
}

bool LittlestoneErm::proves_rows() const {
  return params_.stages == 1 && params_.tolerance == 0 &&
         TeacherLists::TakesApart(*params_.functions, params_.functions->size(),
                                  PAt(1)) &&
         params_.list_size >= params_.functions->size();
}

// Step 6: number of wrong rows that, dealt out, spoil a function for enough
// teachers that it is not drawn.
double LittlestoneErm::RowsFor(double error, double failure) const {
  const auto size = static_cast<double>(params_.functions->size());
  const auto k = static_cast<double>(params_.teachers);
  const double rate = 0.999999 * params_.sample.epsilon / 2;  // it is below
  const double part = failure / 3;
  const double missed = std::ceil(std::log(size / part) / rate);
  if (missed > k ||
      static_cast<double>(sample_.ScoreFor(part)) > k) {  // nothing is drawn
    return std::numeric_limits<double>::infinity();
  }
  const double log = LogChoose(k, missed - 1) + std::log(size / part);
  const double wrong = std::ceil(log / std::log(k / std::max(missed - 1, 0.5)));
  return std::ceil(std::max(wrong, missed) / error);
}

double LittlestoneErm::ExpectedError(double rows) const {
  return std::min(0.5, RowsFor(1, 0.5) / std::max(rows, 1.0));
}

Json LittlestoneErm::parameters() const {
  return Json::Object{
      {"functions", params_.functions->size()},
      {"points", params_.functions->points()},
      {"dimension", params_.dimension},
      {"teachers", params_.teachers},
      {"p", params_.p},
      {"stages", params_.stages},
      {"tolerance", params_.tolerance},
      {"list_size", params_.list_size},
      {"lists",
       params_.form == TeacherLists::Form::kGreedy ? "greedy" : "exact"},
      {"bottom", sample_.bottom()},
      {"threshold", params_.stages > 1 ? Json(params_.threshold) : Json()},
      {"test_epsilon", params_.stages > 1 ? params_.test_epsilon : 0},
      {"sample_epsilon", params_.sample.epsilon},
      {"proper_epsilon", params_.proper_epsilon}};
}

std::string LittlestoneErm::Summary() const {
  return WithCommas(params_.teachers) + " teachers over " +
         WithCommas(params_.functions->size()) + " functions on " +
         WithCommas(params_.functions->points()) + " points, " +
         std::to_string(params_.stages) +
         (params_.stages == 1 ? " stage" : " stages");
}

}  // namespace sotto
