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
  if (stopper_) stopper_->Save(writer);
  SOTTO_TRY(active_->Save(writer));
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
  SOTTO_TRY_ASSIGN(auto teachers, predictor->factory_(phase, now->teachers));
  SOTTO_TRY(predictor->BeginPhase(std::move(teachers)));
  predictor->rounds_ = rounds;
  predictor->phase_rounds_ = phase_rounds;
  predictor->labelled_ = labelled;
  predictor->halted_ = halted == 1;
  if (predictor->stopper_) {
    SOTTO_TRY_ASSIGN(
        auto stopper,
        Stopper::Load({.epsilon = predictor->schedule_.params().stopper,
                       .limit = now->reports},
                      reader));
    predictor->stopper_ = std::move(stopper);
  }
  SOTTO_TRY(predictor->active_->Load(reader));
  if (predictor->waiting_ != nullptr) {
    SOTTO_TRY(predictor->waiting_->Load(reader));
  }
  return predictor;
}

}  // namespace sotto
