#include "sotto/mechanisms/mirrors/mirror_promise.h"

namespace sotto {

Status CheckMirrorTarget(double epsilon, double delta, std::uint64_t delay) {
  if (!(epsilon >= 0.05 && epsilon <= 10)) {
    return InvalidArgument("a mirror needs epsilon in [0.05, 10]");
  }
  if (!(delta >= 1e-12 && delta <= 0.1)) {
    return InvalidArgument("a mirror needs delta in [1e-12, 0.1]");
  }
  if (delay < 1 || delay > std::uint64_t{1} << 40) {
    return InvalidArgument("a mirror needs a delay in [1, 2^40]");
  }
  return Ok();
}

Result<Guarantee> MirrorPromise(double epsilon, double delta,
                                double certified) {
  if (!(certified <= delta)) {
    return NotConverged("the mirror's delta could not be certified");
  }
  return Guarantee::Create(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .epsilon = epsilon,
       .delta = certified,
       .protects = "whether one step, whose own answer is hidden, held a one"});
}

void MirrorDigest::Add(std::uint64_t word) {
  for (int i = 0; i < 8; ++i) {
    value_ = (value_ ^ (word & 0xff)) * 0x100000001b3;
    word >>= 8;
  }
}

void MirrorDigest::Add(const MirrorDistribution& distribution) {
  Add(distribution.first());
  Add(distribution.last());
  for (std::uint64_t value = distribution.first(); value <= distribution.last();
       ++value) {
    Add(High64(distribution.Units(value)));
    Add(Low64(distribution.Units(value)));
  }
}

void SaveMirrorHead(const MirrorHead& head, ByteWriter& writer) {
  writer.Text(head.tag);
  writer.Real(head.epsilon);
  writer.Real(head.delta);
  writer.Number(head.delay);
  writer.Number(head.digest);
}

Status CheckMirrorHead(const MirrorHead& head, ByteReader& reader) {
  const bool tag = reader.Text() == head.tag;
  const bool epsilon = reader.Real() == head.epsilon;
  const bool delta = reader.Real() == head.delta;
  const bool delay = reader.Number<std::uint64_t>() == head.delay;
  const bool digest = reader.Number<std::uint64_t>() == head.digest;
  if (reader.failed()) {
    return Corruption("the state of a mirror ends too soon");
  }
  if (!(tag && epsilon && delta && delay)) {
    return FailedPrecondition(
        "the state belongs to another mirror or other parameters");
  }
  if (!digest) {
    return FailedPrecondition(
        "the state was drawn from other tables than this build has");
  }
  return Ok();
}

}  // namespace sotto
