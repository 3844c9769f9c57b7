// Mechanisms that keep a private data set and answer about it: two neighbouring
// data sets of which one has a record more.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "sotto/audit/release_pair.h"
#include "sotto/audit/targets.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

constexpr double kDelta = 0.01;

// 1, 2, ..., with one record more at `extra` in world one, and the place of all
// queries.
struct Line {
  std::vector<double> records;
  double asked = 0;
};

DataPair<Line> LinePair(std::size_t size, double extra, double asked) {
  std::vector<double> records(size);
  std::iota(records.begin(), records.end(), 1.0);
  DataPair<Line> pair{{records, asked}, {records, asked}};
  pair.one.records.push_back(extra);
  return pair;
}

Result<AuditSubject> RanksSubject(const AuditRequest& request) {
  constexpr std::uint64_t kCost = 20;
  const OnlineThresholds::Params params{
      .epsilon = request.epsilon.value_or(1),
      .delta = request.delta.value_or(kDelta),
      .horizon = request.rounds == 0 ? 4 : request.rounds};
  const auto publish = [params](const Line& line, Rng& rng,
                                View& view) -> Status {
    SOTTO_TRY_ASSIGN(auto ranks,
                     OnlineThresholds::Create(params, line.records, rng));
    view.seen.push_back(ranks.size());
    for (std::uint64_t i = 0; i < params.horizon; ++i) {
      const double place = line.asked + static_cast<double>(i % 2);
      SOTTO_TRY_ASSIGN(const auto answer, ranks.Query(place, rng));
      view.seen.push_back(answer.estimate);
    }
    return Ok();
  };
  std::vector<DataPair<Line>> pairs;
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}}) {
    for (const double asked : {0.25, 20.25}) {
      pairs.push_back(LinePair(size, 0.1, asked));
    }
  }
  AuditSubject subject{"online-thresholds", {}};
  subject.cases.push_back({"extremal-pair",
                           "ranks",
                           {params.epsilon, params.delta},
                           MakeReleasePair(std::move(pairs), publish),
                           kCost});
  return subject;
}

using Slicer = ReorderSliceCompute<int>;

constexpr std::uint64_t kSlices = 3;

// Slices from below, of which the noisy sizes are released.
Status PublishSizes(Slicer slicer, const Guarantee& cost,
                    const FixedWorkLaplace& noise, Rng& rng, View& view) {
  const SliceFunction size(
      cost, [&](const std::vector<int>& slice, Rng& inner) {
        const auto count = static_cast<std::int64_t>(slice.size());
        return inner.Private("slice", count, 1) + noise.Sample(inner);
      });
  for (std::uint64_t i = 0; i < kSlices; ++i) {
    SOTTO_TRY_ASSIGN(const auto released,
                     slicer.Slice(4, std::less<>(), size, rng));
    view.seen.push_back(released);
  }
  return Ok();
}

// Data that end in a slice show its size; otherwise one element is pushed from
// slice to slice.
Result<std::vector<DataPair<Slicer>>> SlicerPairs(
    const Slicer::Params& params) {
  std::vector<DataPair<Slicer>> pairs;
  for (const std::size_t size : {0u, 2u, 6u, 12u, 40u}) {
    std::vector<int> data(size);
    std::iota(data.begin(), data.end(), 0);
    SOTTO_TRY_ASSIGN(auto zero, Slicer::Create(params, data));
    data.push_back(static_cast<int>(size));
    SOTTO_TRY_ASSIGN(auto one, Slicer::Create(params, data));
    pairs.push_back({std::move(zero), std::move(one)});
  }
  return pairs;
}

Result<AuditSubject> SlicesSubject(const AuditRequest& request) {
  // The claim is for all slices; the request is about one.
  const double each = request.epsilon.value_or(0.5);
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(each));
  SOTTO_TRY_ASSIGN(const auto noise, FixedWorkLaplace::Create(rate));
  SOTTO_TRY_ASSIGN(const auto cost,
                   Guarantee::Create({.relation = Relation::kAddRemove,
                                      .epsilon = each,
                                      .protects = "one element"}));
  SOTTO_TRY_ASSIGN(auto pairs,
                   SlicerPairs({.slice_epsilon = each,
                                .slices = kSlices,
                                .failure = request.delta.value_or(kDelta)}));
  const Guarantee guarantee = pairs.front().zero.guarantee();
  AuditSubject subject{"reorder-slice-compute", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "three noisy sizes",
       {guarantee.epsilon(), guarantee.delta()},
       MakeReleasePair(std::move(pairs), [cost, noise](const Slicer& slicer,
                                                       Rng& rng, View& view) {
         return PublishSizes(slicer, cost, noise, rng, view);
       })});
  return subject;
}

}  // namespace

AuditTarget OnlineThresholdsTarget() {
  return {"online-thresholds",
          "how many records are less than x, for many x",
          "AdaptiveQuery",
          {"extremal-pair"},
          RanksSubject};
}

AuditTarget ReorderSliceComputeTarget() {
  return {"reorder-slice-compute",
          "disjoint slices of a data set, a private mechanism on each",
          "AdaptiveQuery",
          {"extremal-pair"},
          SlicesSubject};
}

}  // namespace sotto
