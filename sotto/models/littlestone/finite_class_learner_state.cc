#include "sotto/learners/classes/class_file.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/papers/class_state.h"

namespace sotto {
namespace {

ClassDigest ComputeDigest(const FiniteClassLearner::Params& p) {
  ByteWriter writer;
  writer.Text(CompactClass(*p.functions));
  writer.Real(p.user.epsilon);
  writer.Real(p.user.delta);
  writer.Number(static_cast<std::uint8_t>(p.relation));
  writer.Number(p.rounds_per_user);
  writer.Real(p.stopper);
  writer.Number(p.limit);
  writer.Number(p.period);
  writer.Number(p.votes);
  writer.Number(p.rate.numerator());
  writer.Number(p.rate.denominator());
  for (const std::uint32_t weight : p.weights) writer.Number(weight);
  writer.Number(p.delay);
  return ComputeDigest("littlestone-v1", writer);
}

}  // namespace

void FiniteClassLearner::Save(ByteWriter& writer) const {
  for (const std::uint64_t word : ComputeDigest(params_)) writer.Number(word);
  writer.Number(waiting_.clock());
  writer.Number(static_cast<std::uint8_t>(begun_ ? 1 : 0));
  writer.Number(changes_);
  for (const std::size_t h : drawn_) writer.Number(std::uint64_t{h});
  waiting_.Save(writer);
  writer.Number(mistakes_);
  for (const std::uint64_t count : wrong_) writer.Number(count);
  for (const std::uint64_t loss : losses_) writer.Number(loss);
  stopper_.Save(writer);
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
  SOTTO_TRY_ASSIGN(auto learner, Create(std::move(params)));
  SOTTO_TRY(CheckDigest(ComputeDigest(learner.params_), reader));
  learner.waiting_.SetClock(reader.Number<std::uint64_t>());
  learner.begun_ = reader.Number<std::uint8_t>() != 0;
  learner.changes_ = reader.Number<std::uint64_t>();
  if (learner.changes_ > learner.params_.weights.size()) {
    return DamagedClassState();
  }
  if (learner.changes_ > 0) {
    for (std::uint64_t v = 0; v < learner.params_.votes; ++v) {
      const auto h = reader.Number<std::uint64_t>();
      if (h >= learner.losses_.size()) return DamagedClassState();
      learner.drawn_.push_back(h);
    }
    learner.Publish();
  }
  const bool good = learner.waiting_.Load(reader, learner.wrong_.size()) &&
                    learner.LoadCounts(reader) &&
                    learner.stopper_.Load(reader) && !reader.failed();
  if (!good) return DamagedClassState();
  return learner;
}

}  // namespace sotto
