#include "sotto/models/littlestone/finite_class_learner.h"

namespace sotto {

void FiniteClassLearner::Save(ByteWriter& writer) const {
  writer.Number(clock_);
  writer.Number(static_cast<std::uint8_t>(begun_ ? 1 : 0));
  writer.Number(changes_);
  for (const std::size_t h : drawn_) writer.Number(std::uint64_t{h});
  for (const Waiting& waiting : waiting_) {
    writer.Number(waiting.change);
    writer.Number(waiting.point);
    writer.Number(static_cast<std::uint8_t>((waiting.told ? 1 : 0) +
                                            (waiting.wrong ? 2 : 0) +
                                            (waiting.asked ? 4 : 0)));
  }
  writer.Number(mistakes_);
  for (const std::uint64_t count : wrong_) writer.Number(count);
  for (const std::uint64_t loss : losses_) writer.Number(loss);
  stopper_.Save(writer);
}

bool FiniteClassLearner::LoadWaiting(ByteReader& reader) {
  for (Waiting& waiting : waiting_) {
    waiting.change = reader.Number<std::uint64_t>();
    waiting.point = reader.Number<std::uint32_t>();
    const auto bits = reader.Number<std::uint8_t>();
    if (bits > 7 || waiting.point >= wrong_.size()) return false;
    waiting.told = (bits & 1) != 0;
    waiting.wrong = (bits & 2) != 0;
    waiting.asked = (bits & 4) != 0;
  }
  return true;
}

bool FiniteClassLearner::LoadCounts(ByteReader& reader) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  mistakes_ = reader.Number<std::int64_t>();
  bool good = mistakes_ >= 0;
  for (std::uint64_t& count : wrong_) {
    count = reader.Number<std::uint64_t>();
    good = good && count <= kMost;
  }
  for (std::uint64_t& loss : losses_) {
    loss = reader.Number<std::uint64_t>();
    good = good && loss <= kMost;
  }
  return good;
}

Result<FiniteClassLearner> FiniteClassLearner::Load(Params params,
                                                    ByteReader& reader) {
  auto learner = Create(std::move(params));
  if (!learner) return learner.error();
  const Error damaged{ErrorCode::kCorruption,
                      "the state of the class learner makes no sense"};
  learner->clock_ = reader.Number<std::uint64_t>();
  learner->begun_ = reader.Number<std::uint8_t>() != 0;
  learner->changes_ = reader.Number<std::uint64_t>();
  if (learner->changes_ > learner->params_.weights.size()) return damaged;
  if (learner->changes_ > 0) {
    for (std::uint64_t v = 0; v < learner->params_.votes; ++v) {
      const auto h = reader.Number<std::uint64_t>();
      if (h >= learner->losses_.size()) return damaged;
      learner->drawn_.push_back(h);
    }
    learner->Publish();
  }
  const bool good = learner->LoadWaiting(reader) &&
                    learner->LoadCounts(reader) &&
                    learner->stopper_.Load(reader) && !reader.failed();
  if (!good) return damaged;
  return learner;
}

}  // namespace sotto
