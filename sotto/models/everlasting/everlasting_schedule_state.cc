#include "sotto/models/everlasting/everlasting_schedule.h"

namespace sotto {
namespace {

using Params = EverlastingSchedule::Params;

void SaveParams(const Params& params, ByteWriter& writer) {
  writer.Real(params.epsilon);
  writer.Real(params.delta);
  writer.Number(static_cast<std::uint8_t>(params.relation));
  writer.Number(params.rounds_per_user);
  // Two facts in one byte.
  writer.Number(static_cast<std::uint8_t>(
      (params.spread == DeltaSpread::kConstant ? 1 : 0) |
      (params.shape.paid ? 2 : 0)));
  writer.Number(params.period);
  writer.Real(params.stopper);
  const EverlastingShape& shape = params.shape;
  for (const double number :
       {shape.rows, shape.honest, shape.complexity, shape.gap, shape.growth}) {
    writer.Real(number);
  }
  writer.Number(shape.teachers);
  writer.Number(shape.reports);
  writer.Number(shape.rounds);
}

Params LoadParams(ByteReader& reader) {
  Params params;
  params.epsilon = reader.Real();
  params.delta = reader.Real();
  params.relation = static_cast<Relation>(reader.Number<std::uint8_t>() & 3);
  params.rounds_per_user = reader.Number<std::uint64_t>();
  const auto facts = reader.Number<std::uint8_t>();
  params.spread =
      (facts & 1) == 0 ? DeltaSpread::kEverlasting : DeltaSpread::kConstant;
  params.shape.paid = (facts & 2) != 0;
  params.period = reader.Number<std::uint64_t>();
  params.stopper = reader.Real();
  EverlastingShape& shape = params.shape;
  for (double* number : {&shape.rows, &shape.honest, &shape.complexity,
                         &shape.gap, &shape.growth}) {
    *number = reader.Real();
  }
  shape.teachers = reader.Number<std::int64_t>();
  shape.reports = reader.Number<std::int64_t>();
  shape.rounds = reader.Number<std::uint64_t>();
  return params;
}

Error Corrupt() {
  return {ErrorCode::kCorruption, "the saved phases make no sense"};
}

}  // namespace

void EverlastingSchedule::Save(ByteWriter& writer) const {
  SaveParams(params_, writer);
  writer.Number(static_cast<std::uint64_t>(phases_.size()));
  for (const EverlastingPhase& phase : phases_) {
    writer.Number(phase.teachers);
    writer.Real(phase.rate);
    writer.Number(phase.gap);
    writer.Number(phase.reports);
    writer.Number(phase.rounds);
  }
}

Result<EverlastingSchedule> EverlastingSchedule::Load(ByteReader& reader) {
  constexpr std::uint64_t kBytesOfPhase = 40;
  auto schedule = Create(LoadParams(reader));
  if (reader.failed() || !schedule) return Corrupt();
  const auto phases = reader.Number<std::uint64_t>();
  if (reader.failed() || phases > reader.RoomFor(kBytesOfPhase)) {
    return Corrupt();
  }
  for (std::uint64_t i = 0; i < phases; ++i) {
    EverlastingPhase phase;
    phase.teachers = reader.Number<std::int64_t>();
    phase.rate = reader.Real();
    phase.gap = reader.Number<std::int64_t>();
    phase.reports = reader.Number<std::int64_t>();
    phase.rounds = reader.Number<std::uint64_t>();
    if (!schedule->Check(phase)) return Corrupt();
    schedule->Add(phase);
  }
  return schedule;
}

}  // namespace sotto
