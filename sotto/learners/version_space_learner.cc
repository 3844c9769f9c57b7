#include "sotto/learners/version_space_learner.h"

#include <algorithm>
#include <bit>

#include "sotto/classes/littlestone_dimension.h"

namespace sotto {
namespace {

FiniteClass::Set Learn(const FiniteClass& functions,
                       const FiniteClass::Set& space, std::size_t point,
                       bool y) {
  auto kept = Restrict(functions, space, point, y);
  if (CountOf(kept) == 0) kept = Restrict(functions, functions.All(), point, y);
  return CountOf(kept) == 0 ? functions.All() : kept;
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
  if (in.failed() || !inside || CountOf(space) == 0) {
    return Error{ErrorCode::kCorruption, "not a version space of this class"};
  }
  return Ok();
}

}  // namespace

bool HalvingLearner::Predict(FeatureView x) const {
  const auto point = functions_->PointOf(x);
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
  const auto point = functions_->PointOf(x);
  if (point) space_ = Learn(*functions_, space_, *point, y);
}

void HalvingLearner::Save(ByteWriter& out) const { SaveSpace(space_, out); }

Status HalvingLearner::Load(ByteReader& in) {
  return LoadSpace(*functions_, in, space_);
}

Result<SoaLearner> SoaLearner::Create(const FiniteClass* functions) {
  if (functions->size() > kMaxSize || functions->points() > kMaxSize) {
    return InvalidArgument(
        "the standard optimal algorithm is for classes of at most 4096 "
        "functions on 4096 points; halving takes larger ones");
  }
  SoaLearner learner(functions);
  const std::uint64_t node = functions->points() * learner.space_.size();
  const std::uint64_t nodes = kMaxWork / node;
  LittlestoneDimension dimension(*functions, {.max_nodes = nodes});
  learner.dimension_ = dimension.Of(learner.space_);
  if (dimension.gave_up() || !learner.Answer(nodes)) {
    return Error{ErrorCode::kNotConverged,
                 "the Littlestone dimension of this class takes too long to "
                 "compute; halving needs none"};
  }
  return learner;
}

bool SoaLearner::Answer(std::uint64_t max_nodes) {
  LittlestoneDimension dimension(*functions_, {.max_nodes = max_nodes});
  answers_ = dimension.OptimalLabels(space_);
  return !dimension.gave_up();
}

void SoaLearner::Update(FeatureView x, bool y) {
  const auto point = functions_->PointOf(x);
  if (!point || answers_[*point] == y) return;
  space_ = Learn(*functions_, space_, *point, y);
  Answer(UINT64_MAX);
}

void SoaLearner::Save(ByteWriter& out) const { SaveSpace(space_, out); }

Status SoaLearner::Load(ByteReader& in) {
  auto loaded = LoadSpace(*functions_, in, space_);
  if (loaded) Answer(UINT64_MAX);
  return loaded;
}

}  // namespace sotto
