#include "sotto/learners/version_space_learner.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <optional>

#include "sotto/learners/classes/littlestone_dimension.h"

namespace sotto {
namespace {

FiniteClass::Set Learn(const FiniteClass& functions,
                       const FiniteClass::Set& space, std::size_t point,
                       bool y) {
  auto kept = Restrict(functions, space, point, y);
  if (CountMembers(kept) == 0)
    kept = Restrict(functions, functions.All(), point, y);
  return CountMembers(kept) == 0 ? functions.All() : kept;
}

void SaveSpace(const FiniteClass::Set& space, ByteWriter& out) {
  for (const std::uint64_t word : space) out.Number(word);
}

Status LoadSpace(const FiniteClass& functions, ByteReader& in,
                 FiniteClass::Set& space) {
  const auto all = functions.All();
  bool inside = true;
  for (std::size_t i = 0; i < space.size(); ++i) {
    space[i] = in.Number<std::uint64_t>();
    inside = inside && (space[i] & ~all[i]) == 0;
  }
  if (in.failed() || !inside || CountMembers(space) == 0) {
    return Corruption("not a version space of this class");
  }
  return Ok();
}

}  // namespace

bool HalvingLearner::Predict(FeatureView x) const {
  const auto point = functions_->FindPoint(x);
  if (!point) return false;
  const FiniteClass::Set& column = functions_->Ones(*point);
  int balance = 0;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    balance += std::popcount(space_[i] & column[i]);
    balance -= std::popcount(space_[i] & ~column[i]);
  }
  return balance > 0;
}

void HalvingLearner::Update(FeatureView x, bool y) {
  const auto point = functions_->FindPoint(x);
  if (point) space_ = Learn(*functions_, space_, *point, y);
}

void HalvingLearner::Save(ByteWriter& out) const { SaveSpace(space_, out); }

Status HalvingLearner::Load(ByteReader& in) {
  return LoadSpace(*functions_, in, space_);
}

// A pure function of the class and the set, remembered. Sets beyond kMaxBytes
// are not cached.
class SoaLearner::Memory {
 public:
  using Answers = std::shared_ptr<const std::vector<bool>>;

  explicit Memory(const FiniteClass* functions) : functions_(functions) {}

  Answers Of(const FiniteClass::Set& space) {
    const std::lock_guard lock(mutex_);
    if (const auto place = known_.find(space); place != known_.end()) {
      return place->second;
    }
    LittlestoneDimension dimension(*functions_, {.known = dimensions_});
    return Remember(space, dimension.OptimalLabels(space));
  }
  // The dimension and predictions of the whole class, if `max_nodes` nodes are
  // enough.
  std::optional<int> Begin(std::uint64_t max_nodes) {
    LittlestoneDimension dimension(
        *functions_, {.max_nodes = max_nodes, .known = dimensions_});
    const FiniteClass::Set all = functions_->All();
    const int depth = dimension.Of(all);
    if (dimension.gave_up()) return std::nullopt;
    auto answers = dimension.OptimalLabels(all);
    if (dimension.gave_up()) return std::nullopt;
    Remember(all, std::move(answers));
    return depth;
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

  Answers Remember(const FiniteClass::Set& space, std::vector<bool> labels) {
    constexpr std::size_t kOverhead = 128;  // of an entry, about
    auto answers = std::make_shared<const std::vector<bool>>(std::move(labels));
    bytes_ += space.size() * sizeof(space[0]) + answers->size() / 8 + kOverhead;
    if (bytes_ <= kMaxBytes) known_.emplace(space, answers);
    return answers;
  }

  const FiniteClass* functions_;
  std::shared_ptr<KnownDimensions> dimensions_ =
      std::make_shared<KnownDimensions>();
  std::mutex mutex_;
  std::map<FiniteClass::Set, Answers> known_;
  std::size_t bytes_ = 0;
};

Result<SoaLearner> SoaLearner::Create(const FiniteClass* functions) {
  if (functions->size() > kMaxSize || functions->points() > kMaxSize) {
    return InvalidArgument(
        "the standard optimal algorithm is for classes of at most 4096 "
        "functions on 4096 points; halving takes larger ones");
  }
  SoaLearner learner(functions, std::make_shared<Memory>(functions));
  const std::uint64_t node = functions->points() * learner.space_.size();
  const auto dimension = learner.memory_->Begin(kMaxWork / node);
  if (!dimension) {
    return NotConverged(
        "the Littlestone dimension of this class takes too long to "
        "compute; halving needs none");
  }
  learner.dimension_ = *dimension;
  learner.answers_ = learner.memory_->Of(learner.space_);
  return learner;
}

void SoaLearner::Update(FeatureView x, bool y) {
  const auto point = functions_->FindPoint(x);
  if (!point || (*answers_)[*point] == y) return;
  space_ = Learn(*functions_, space_, *point, y);
  answers_ = memory_->Of(space_);
}

void SoaLearner::Save(ByteWriter& out) const { SaveSpace(space_, out); }

Status SoaLearner::Load(ByteReader& in) {
  auto loaded = LoadSpace(*functions_, in, space_);
  if (loaded) answers_ = memory_->Of(space_);
  return loaded;
}

}  // namespace sotto
