#include <string>
#include <string_view>

#include "sotto/models/everlasting/everlasting_predictor.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "everlasting_predictor/1";

Error Corrupt(const std::string& what) {
  return {ErrorCode::kCorruption,
          "the saved predictor makes no sense: " + what};
}

}  // namespace

Status EverlastingPredictor::Save(ByteWriter& writer) {
  writer.Text(kTag);
  writer.Number(phase_);
  writer.Number(rounds_);
  writer.Number(phase_rounds_);
  writer.Number(labelled_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
  stopper_.Save(writer);
  if (Status saved = active_->Save(writer); !saved) return saved;
  return waiting_ == nullptr ? Ok() : waiting_->Save(writer);
}

Result<EverlastingPredictor> EverlastingPredictor::Load(
    EverlastingSchedule schedule, EnsembleFactory factory, ByteReader& reader) {
  constexpr std::uint64_t kMostPhases = 1U << 20;
  if (reader.Text() != kTag) return Corrupt("it is something else");
  const auto phase = reader.Number<std::uint64_t>();
  const auto rounds = reader.Number<std::uint64_t>();
  const auto phase_rounds = reader.Number<std::uint64_t>();
  const auto labelled = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  if (reader.failed() || halted > 1 || phase > kMostPhases || phase > rounds ||
      phase_rounds > rounds) {
    return Corrupt("the counts of rounds");
  }
  auto predictor = Create(std::move(schedule), std::move(factory));
  if (!predictor) return predictor;
  predictor->phase_ = phase;
  const auto now = predictor->schedule_.At(phase);
  if (!now || phase_rounds > now->rounds) {
    return Corrupt("the number of the phase");
  }
  auto teachers = predictor->factory_(phase, now->teachers);
  if (!teachers) return teachers.error();
  if (Status begun = predictor->BeginPhase(*std::move(teachers)); !begun) {
    return begun.error();
  }
  predictor->rounds_ = rounds;
  predictor->phase_rounds_ = phase_rounds;
  predictor->labelled_ = labelled;
  predictor->halted_ = halted == 1;
  auto stopper = Stopper::Load(
      {.epsilon = predictor->schedule_.params().stopper, .limit = now->reports},
      reader);
  if (!stopper) return stopper.error();
  predictor->stopper_ = *std::move(stopper);
  if (Status loaded = predictor->active_->Load(reader); !loaded) {
    return loaded.error();
  }
  if (predictor->waiting_ != nullptr) {
    if (Status loaded = predictor->waiting_->Load(reader); !loaded) {
      return loaded.error();
    }
  }
  return predictor;
}

}  // namespace sotto
