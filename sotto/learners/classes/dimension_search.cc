#include "sotto/learners/classes/dimension_search.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <vector>

#include "sotto/base/threads.h"
#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {
namespace {

class Search {
 public:
  Search(const FiniteClass& functions, std::size_t threads)
      : all_(functions.All()) {
    const auto known = std::make_shared<KnownDimensions>();
    for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i) {
      workers_.push_back(std::make_unique<LittlestoneDimension>(
          functions,
          LittlestoneDimension::Options{
              .max_nodes = 0, .order = i, .known = known, .stop = &stop_}));
    }
  }

  // Quick answers need no threads. Otherwise the first thread with an answer
  // stops the others.
  Answer Ask(int depth, std::uint64_t nodes) {
    stop_ = false;
    workers_.front()->AllowNodes(std::min(nodes, kAlone));
    const Answer alone = workers_.front()->AtLeast(all_, depth);
    if (alone != Answer::kUnknown || nodes <= kAlone) return alone;
    std::atomic<Answer> answer = Answer::kUnknown;
    OnThreads(workers_.size(), [&](std::size_t i) {
      LittlestoneDimension& worker = *workers_[i];
      worker.AllowNodes(nodes);
      const Answer mine = worker.AtLeast(all_, depth);
      if (mine == Answer::kUnknown) return;
      answer = mine;
      stop_ = true;
    });
    return answer;
  }

  std::uint64_t nodes() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->nodes();
    return sum;
  }
  MistakeTree Tree(int depth) { return workers_.front()->Tree(all_, depth); }

 private:
  static constexpr std::uint64_t kAlone = 64;

  FiniteClass::Set all_;
  std::atomic<bool> stop_ = false;
  std::vector<std::unique_ptr<LittlestoneDimension>> workers_;
};

// Updates the bounds by an answer at that depth. False if it proves nothing.
bool Learn(Answer answer, int depth, DimensionBounds& bounds) {
  if (answer == Answer::kYes) bounds.lo = depth;
  if (answer == Answer::kNo) bounds.hi = depth - 1;
  return answer != Answer::kUnknown;
}

}  // namespace

// Searches from both ends with growing limits: trees that are far too deep are
// refuted as fast as shallow ones are found.
DimensionBounds SearchDimension(const FiniteClass& functions,
                                const DimensionSearchOptions& options) {
  constexpr std::uint64_t kFirst = 1 << 12;
  constexpr std::uint64_t kParts = 16;  // so that no question uses all nodes
  Search search(functions, options.threads);
  DimensionBounds bounds{
      .lo = 0, .hi = static_cast<int>(std::bit_width(functions.size())) - 1};
  std::uint64_t patience =
      std::clamp<std::uint64_t>(options.max_nodes / kParts, 1, kFirst);
  while (bounds.lo < bounds.hi && search.nodes() < options.max_nodes) {
    const std::uint64_t left = options.max_nodes - search.nodes();
    const std::uint64_t nodes = std::min(
        patience, left / std::max<std::size_t>(options.threads, 1) + 1);
    bool learned =
        Learn(search.Ask(bounds.lo + 1, nodes), bounds.lo + 1, bounds);
    if (bounds.hi > bounds.lo + 1) {
      learned |= Learn(search.Ask(bounds.hi, nodes), bounds.hi, bounds);
    }
    if (!learned) patience *= 2;
    bounds.nodes = search.nodes();
    if (options.progress) options.progress(bounds);
  }
  if (options.tree) bounds.tree = search.Tree(bounds.lo);
  return bounds;
}

DimensionBounds QuickDimension(const FiniteClass& functions) {
  constexpr std::uint64_t kWords = std::uint64_t{1} << 28;
  constexpr std::uint64_t kMostNodes = 200'000;
  const std::uint64_t node = (functions.size() / 64 + 1) *
                             std::max<std::size_t>(functions.points(), 1);
  return SearchDimension(functions, {.max_nodes = std::clamp<std::uint64_t>(
                                         kWords / node, 16, kMostNodes),
                                     .threads = 1,
                                     .tree = false});
}

}  // namespace sotto
