#include "sotto/models/everlasting/everlasting_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

// Minimum number of rows a teacher can learn from.
constexpr double kLeastRows = 4;

EverlastingSchedule::Params MakeParams(const EverlastingRequest& request) {
  EverlastingSchedule::Params params{.epsilon = request.epsilon,
                                     .delta = request.delta,
                                     .relation = request.relation,
                                     .rounds_per_user = request.rounds_per_user,
                                     .spread = request.spread,
                                     .stopper = request.stopper};
  params.shape = {.honest = request.honest,
                  .complexity = request.complexity,
                  .growth = request.growth,
                  .paid = request.paid,
                  .teachers = request.teachers,
                  .reports = request.reports,
                  .rounds = request.rounds};
  const double rounds =
      request.rounds > 0
          ? static_cast<double>(request.rounds)
          : static_cast<double>(request.labelled) / request.honest;
  if (rounds >= 1) {
    params.period = static_cast<std::uint64_t>(std::min(rounds, 0x1p40));
  }
  return params;
}

std::vector<double> Choices(double by_hand,
                            const std::vector<double>& otherwise) {
  return by_hand > 0 ? std::vector<double>{by_hand} : otherwise;
}

// About the most rows of a teacher so that all teachers together need no more
// than there are. What they need grows as a power of it between 1 and 2, so
// steps with an exponent between 1/2 and 1 come close fast.
double RowsWithin(EverlastingSchedule::Params params, double labelled) {
  if (params.shape.teachers > 0) {
    return std::max(1.0, labelled / static_cast<double>(params.shape.teachers));
  }
  constexpr double kExponent = 0.6;
  constexpr int kSteps = 12;
  double& rows = params.shape.rows;
  rows = std::max(kLeastRows, std::sqrt(labelled) / 8);
  for (int i = 0; i < kSteps; ++i) {
    const auto need = LabelledRows(params);
    const double times = need ? 0.99 * labelled / *need : 0.25;
    if (times < 1.01 && times > 0.99) break;
    rows = std::clamp(rows * std::pow(times, kExponent), kLeastRows,
                      std::max(labelled, kLeastRows));
  }
  return rows;
}

struct Candidate {
  EverlastingSchedule::Params params;
  double labelled = 0;
};

// More rows for each teacher are better, then fewer in all.
bool Better(const Candidate& a, const std::optional<Candidate>& b) {
  if (!b) return true;
  const double by = a.params.shape.rows / b->params.shape.rows;
  if (by > 1.03 || by < 0.97) return by > 1;
  return a.labelled < b->labelled;
}

// The printed sizes are for the rows that there are or, where their number is
// not said, that the least ones need.
Result<EverlastingSchedule::Params> PlanPrinted(EverlastingRequest request) {
  request.printed = false;
  auto labelled = static_cast<double>(request.labelled);
  if (request.labelled == 0) {
    SOTTO_TRY_ASSIGN(const auto least, PlanEverlasting(request));
    SOTTO_TRY_ASSIGN(labelled, LabelledRows(least));
  }
  const EverlastingRequest sizes = PrintedSizes(request, labelled);
  if (sizes.rounds > EverlastingSchedule::kMostRounds) {
    return InvalidArgument(
        "the printed sizes do not fit: " +
        WithCommas(static_cast<std::uint64_t>(sizes.teachers)) +
        " teachers for " + WithCommas(sizes.rounds) + " queries a phase");
  }
  return PlanEverlasting(sizes);
}

}  // namespace

EverlastingRequest PrintedSizes(const EverlastingRequest& request,
                                double labelled) {
  const double chunk =
      std::ceil(RowsForError(request.complexity, request.error));
  const double chunks = std::max(1.0, std::floor(labelled / chunk));
  const double each =
      request.epsilon / static_cast<double>(2 * request.rounds_per_user - 1);
  const double queries = std::max(1.0, std::ceil(std::pow(each * chunks, 2)));
  EverlastingRequest sizes = request;
  sizes.printed = false;
  sizes.teachers = static_cast<std::int64_t>(std::min(chunks, 0x1p60));
  sizes.rounds = static_cast<std::uint64_t>(std::min(queries, 0x1p60));
  return sizes;
}

Result<EverlastingSchedule::Params> PlanEverlasting(
    const EverlastingRequest& request) {
  if (request.printed) return PlanPrinted(request);
  // Under add-remove a hidden query costs the larger of two, so the Stopper may
  // have all of epsilon; under replacement it pays for both (everlasting.md).
  // A little less than what one round gets, however that was rounded.
  const double each = (1 - 0x1p-30) * request.epsilon /
                      static_cast<double>(2 * request.rounds_per_user - 1);
  const bool free = request.relation == Relation::kAddRemove;
  // With many paid rounds a Stopper with less epsilon still keeps count.
  const double share = request.honest < 1 ? 0.04 : 0.1;
  double stopper =
      request.stopper > 0 ? request.stopper : (free ? 1 : share) * each;
  if (request.paid) stopper = 0;
  std::optional<Candidate> best;
  Error last = InvalidArgument("nothing to choose from");
  // Without a band there is nothing to choose.
  const std::vector<double> gaps = request.paid
                                       ? std::vector<double>{0.5}
                                       : Choices(request.gap, {0.5, 1, 2});
  for (const double gap : gaps) {
    Candidate candidate{.params = MakeParams(request)};
    candidate.params.shape.gap = gap;
    candidate.params.stopper = stopper;
    candidate.params.shape.rows =
        request.labelled > 0 ? RowsWithin(candidate.params,
                                          static_cast<double>(request.labelled))
                             : RowsForError(request.complexity, request.error);
    const auto rows = LabelledRows(candidate.params);
    if (!rows) {
      last = rows.error();
      continue;
    }
    candidate.labelled = *rows;
    if (Better(candidate, best)) best = candidate;
  }
  if (!best) return last;
  return best->params;
}

Result<double> LabelledRows(const EverlastingSchedule::Params& params) {
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  return static_cast<double>(first.teachers) * params.shape.rows;
}

double ComputeComplexity(const LearnerSpec& spec) {
  const LearnerFacts facts = ExtractFacts(spec);
  if (facts.complexity) return *facts.complexity;
  if (spec.name == "stump") return 2;
  if (facts.needs_features && spec.features > 0) return spec.features;
  return 1;
}

double RowsForError(double complexity, double error) {
  return std::max(kLeastRows, std::ceil(complexity / error));
}

}  // namespace sotto
