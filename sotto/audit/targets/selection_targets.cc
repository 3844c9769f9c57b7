// Choices and releases out of a table of counts: two neighbouring tables.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/release_pair.h"
#include "sotto/audit/targets.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/selection/sparse_sample.h"

namespace sotto {
namespace {

constexpr double kDelta = 0.01;

ApproximateDp GetClaim(const Guarantee& guarantee) {
  return {guarantee.epsilon(), guarantee.delta()};
}

using Scores = std::vector<std::int64_t>;

// Every score moves by at most one. At these pairs the exponential mechanism
// and its like lose the most.
std::vector<DataPair<Scores>> ScorePairs(bool monotone) {
  if (monotone) {
    return {{{0, 0, 0}, {1, 0, 0}},
            {{0, 0, 0}, {0, 1, 1}},
            {{4, 0, 0}, {4, 1, 1}},
            {{0, 4, 4}, {1, 4, 4}}};
  }
  return {{{0, 0, 0}, {1, -1, -1}},
          {{0, 0, 0}, {-1, 1, 1}},
          {{4, 0, 0}, {3, 1, 1}},
          {{0, 4, 4}, {1, 3, 3}}};
}

Result<AuditSubject> SelectionSubject(const AuditRequest& request) {
  AuditSubject subject{"selection", {}};
  for (const bool monotone : {false, true}) {
    SOTTO_TRY_ASSIGN(const auto choose,
                     Selection::Create({.epsilon = request.epsilon.value_or(1),
                                        .candidates = 3,
                                        .monotone = monotone}));
    subject.cases.push_back(
        {"extremal-pair", monotone ? "monotone scores" : "any scores",
         GetClaim(choose.guarantee()),
         MakeReleasePair(
             ScorePairs(monotone),
             [choose](const Scores& scores, Rng& rng, View& view) -> Status {
               SOTTO_TRY_ASSIGN(const auto chosen, choose.Select(scores, rng));
               view.seen.push_back(static_cast<std::int64_t>(chosen));
               return Ok();
             })});
  }
  return subject;
}

using Items = std::vector<std::uint64_t>;

Items Repeat(std::int64_t ones, std::int64_t twos) {
  Items items(static_cast<std::size_t>(std::max<std::int64_t>(0, ones)), 1);
  items.insert(items.end(), static_cast<std::size_t>(twos), 2);
  return items;
}

// A record moves between two bins near the threshold, or into a new one.
std::vector<DataPair<Items>> ItemPairs(std::int64_t threshold, bool fresh) {
  std::vector<DataPair<Items>> pairs;
  for (const std::int64_t more : {0, 2, 6}) {
    const std::int64_t count = threshold + more;
    const std::int64_t others = fresh ? 0 : count;
    pairs.push_back({Repeat(count, others), Repeat(count - 1, others + 1)});
  }
  return pairs;
}

// The noisy count of either item, or a number that no count is.
Status PublishBins(const SparseHistogram& histogram, const Items& items,
                   Rng& rng, View& view) {
  constexpr std::int64_t kAbsent = -1'000;
  view.seen = {kAbsent, kAbsent};
  for (const auto& bin : histogram.Release(items, rng)) {
    view.seen[bin.item == 1 ? 0 : 1] = bin.count;
  }
  return Ok();
}

Result<AuditSubject> HistogramSubject(const AuditRequest& request) {
  SOTTO_TRY_ASSIGN(
      const auto histogram,
      SparseHistogram::Create({.epsilon = request.epsilon.value_or(1),
                               .delta = request.delta.value_or(kDelta)}));
  AuditSubject subject{"sparse-histogram", {}};
  for (const bool fresh : {false, true}) {
    subject.cases.push_back(
        {"extremal-pair", fresh ? "a new bin" : "two bins",
         GetClaim(histogram.guarantee()),
         MakeReleasePair(ItemPairs(histogram.threshold(), fresh),
                         [histogram](const Items& items, Rng& rng, View& view) {
                           return PublishBins(histogram, items, rng, view);
                         })});
  }
  return subject;
}

using Lists = std::vector<std::vector<SparseSample::Item>>;

Lists OneEach(std::size_t ones, std::size_t twos) {
  Lists lists(ones, {1});
  lists.insert(lists.end(), twos, {2});
  return lists;
}

// A list comes or goes: beside others of its kind, or alone.
std::vector<DataPair<Lists>> ListPairs(std::size_t bottom) {
  return {{OneEach(bottom, bottom), OneEach(bottom + 1, bottom)},
          {OneEach(bottom, 0), OneEach(bottom + 1, 0)},
          {OneEach(0, 0), OneEach(1, 0)},
          {OneEach(bottom / 2, bottom), OneEach(bottom / 2 + 1, bottom)}};
}

Result<AuditSubject> SampleSubject(const AuditRequest& request) {
  SOTTO_TRY_ASSIGN(
      const auto sample,
      SparseSample::Create({.epsilon = request.epsilon.value_or(1),
                            .delta = request.delta.value_or(kDelta),
                            .list_size = 1,
                            .max_lists = 1'000}));
  const auto bottom =
      static_cast<std::size_t>(std::max<std::int64_t>(1, sample.bottom()));
  AuditSubject subject{"sparse-sample", {}};
  subject.cases.push_back(
      {"extremal-pair", "lists of one item", GetClaim(sample.guarantee()),
       MakeReleasePair(
           ListPairs(bottom),
           [sample](const Lists& lists, Rng& rng, View& view) -> Status {
             SOTTO_TRY_ASSIGN(const auto item, sample.Sample(lists, rng));
             view.seen.push_back(item ? static_cast<std::int64_t>(*item) : 0);
             return Ok();
           })});
  return subject;
}

}  // namespace

AuditTarget SelectionTarget() {
  return {"selection",
          "a candidate with a score near the best",
          "one release of a table",
          {"extremal-pair"},
          SelectionSubject};
}

AuditTarget SparseHistogramTarget() {
  return {"sparse-histogram",
          "counts of the items that occur, above a threshold",
          "one release of a table",
          {"extremal-pair"},
          HistogramSubject};
}

AuditTarget SparseSampleTarget() {
  return {"sparse-sample",
          "an item that is on many lists, or nothing",
          "one release of a table",
          {"extremal-pair"},
          SampleSubject};
}

}  // namespace sotto
