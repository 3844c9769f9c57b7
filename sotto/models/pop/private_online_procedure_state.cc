#include <string>
#include <string_view>

#include "sotto/models/pop/private_online_procedure.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "private_online_procedure/3";

Error Corrupt(const std::string& what) {
  return {ErrorCode::kCorruption,
          "the saved procedure makes no sense: " + what};
}

}  // namespace

Status PrivateOnlineProcedure::Save(ByteWriter& writer) {
  if (broken_) {
    return FailedPrecondition("a hand-over failed: there is no state to save");
  }
  writer.Text(kTag);
  sotto::Save(params_.schedule, writer);
  writer.Real(params_.epsilon);
  writer.Real(params_.delta);
  writer.Number(params_.rounds_per_user);
  writer.Number(phase_);
  writer.Number(begun_);
  writer.Number(generation_);
  writer.Number(tolerated_);
  writer.Number(rounds_);
  writer.Number(phase_rounds_);
  writer.Number(new_mistakes_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
  stopper_.Save(writer);
  if (mistake_stopper_) mistake_stopper_->Save(writer);
  SOTTO_TRY(active_->Save(writer));
  return waiting_ == nullptr ? Ok() : waiting_->Save(writer);
}

// False if the numbers of phases and rounds do not fit each other.
bool PrivateOnlineProcedure::LoadClock(ByteReader& reader) {
  constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 49;
  phase_ = reader.Number<std::uint64_t>();
  begun_ = reader.Number<std::uint64_t>();
  generation_ = reader.Number<std::uint64_t>();
  tolerated_ = reader.Number<std::uint64_t>();
  rounds_ = reader.Number<std::uint64_t>();
  return !reader.failed() && phase_ <= rounds_ && rounds_ <= kMostRounds &&
         begun_ <= phase_ && generation_ >= phase_ &&
         generation_ <= 2 * phase_ && tolerated_ <= PopPhase::kAllExamples;
}

Result<PrivateOnlineProcedure> PrivateOnlineProcedure::Load(
    const Params& params, EnsembleFactory factory, ByteReader& reader) {
  auto pop = Create(params, std::move(factory));
  if (!pop) return pop;
  const bool same_kind = reader.Text() == kTag;
  if (!same_kind) return Corrupt("it is something else");
  SOTTO_TRY_ASSIGN(const auto schedule, LoadPopSchedule(reader));
  if (schedule != pop->params_.schedule || reader.Real() != params.epsilon ||
      reader.Real() != params.delta ||
      reader.Number<std::uint64_t>() != params.rounds_per_user) {
    return FailedPrecondition("the state belongs to other parameters");
  }
  if (!pop->LoadClock(reader)) return Corrupt("the counts of rounds");
  SOTTO_TRY(pop->BeginPhase(true));
  pop->phase_rounds_ = reader.Number<std::uint64_t>();
  pop->new_mistakes_ = reader.Number<std::uint32_t>();
  const auto halted = reader.Number<std::uint8_t>();
  pop->halted_ = halted == 1;
  if (reader.failed() || halted > 1 || pop->phase_rounds_ > pop->rounds_ ||
      pop->phase_ > pop->rounds_) {
    return Corrupt("the counts of rounds");
  }
  const PopSchedule& plan = pop->params_.schedule;
  SOTTO_TRY_ASSIGN(auto stopper, Stopper::Load({.epsilon = plan.stopper,
                                                .limit = pop->now().reports},
                                               reader));
  pop->stopper_ = std::move(stopper);
  if (pop->mistake_stopper_) {
    SOTTO_TRY_ASSIGN(auto mistakes, Stopper::Load({.epsilon = plan.stopper,
                                                   .limit = plan.mistakes},
                                                  reader));
    pop->mistake_stopper_ = std::move(mistakes);
  }
  SOTTO_TRY(pop->active_->Load(reader));
  if (pop->waiting_ != nullptr) {
    SOTTO_TRY(pop->waiting_->Load(reader));
  }
  return pop;
}

}  // namespace sotto
