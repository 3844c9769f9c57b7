#include "sotto/data/files/state_keeper.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sotto {
namespace {

constexpr std::chrono::seconds kPeriod(1);
constexpr int kShareOfTime = 20;                // saving takes 1 in 20
constexpr std::uint64_t kAnswersPerLook = 256;  // at the clock

}  // namespace

Status StateKeeper::Begin() { return Write(/*last=*/false); }

Status StateKeeper::Save() {
  if (!kept()) return Ok();
  return unsaved_ > 0 ? Write(/*last=*/true) : parts_.held->Close();
}

Status StateKeeper::Write(bool last) {
  if (!kept()) return Ok();
  const Clock::time_point start = parts_.now();
  SOTTO_TRY_ASSIGN(const auto state, parts_.state());
  SOTTO_TRY(last ? parts_.held->WriteLast(state)
                 : parts_.held->Write(state, parts_.every));
  saved_at_ = parts_.now();
  cost_ = saved_at_ - start;
  saved_ += std::exchange(unsaved_, 0);
  until_look_ = kAnswersPerLook;
  return Ok();
}

Status StateKeeper::Release() {
  // Noted first: a reader of the file after a kill sees no fewer answers than
  // are out.
  if (kept() && unsaved_ > 0) {
    SOTTO_TRY(parts_.held->NoteGiven(unsaved_));
  }
  Status released = parts_.release();
  broken_ = !released;
  return released;
}

StateKeeper::Clock::duration StateKeeper::Period() const {
  return std::max<Clock::duration>(kPeriod, kShareOfTime * cost_);
}

Status StateKeeper::Expect(std::uint64_t answers) {
  // With 1 a state that covers them is written first.
  if (!kept() || parts_.every == 1) return Ok();
  return parts_.held->NoteGiven(unsaved_ + answers);
}

std::uint64_t StateKeeper::MostAtOnce() const {
  if (!kept()) return std::numeric_limits<std::uint64_t>::max();
  if (parts_.every == 0) return kAnswersPerLook;
  return parts_.every - std::min(unsaved_, parts_.every - 1);
}

Status StateKeeper::Answered(std::uint64_t answers) {
  if (!kept()) return Ok();
  unsaved_ += answers;
  if (parts_.every == 1) {
    SOTTO_TRY(SaveOnTheWay());
    return Release();
  }
  if (parts_.every > 0) {
    if (unsaved_ < parts_.every) return Ok();
  } else {
    until_look_ -= std::min(until_look_, answers);
    if (until_look_ > 0) return Ok();
    until_look_ = kAnswersPerLook;
    if (parts_.now() - saved_at_ < Period()) return Ok();
  }
  SOTTO_TRY(Release());
  return SaveOnTheWay();
}

Status StateKeeper::Pause(const std::function<bool(int)>& waits) {
  SOTTO_TRY(Release());
  if (!kept() || parts_.every > 0 || unsaved_ == 0) return Ok();
  const Clock::duration left = Period() - (parts_.now() - saved_at_);
  const auto milliseconds =
      std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (milliseconds > 0 && !waits(static_cast<int>(milliseconds))) return Ok();
  return SaveOnTheWay();
}

Status StateKeeper::End() {
  if (broken_) return Ok();
  SOTTO_TRY(Release());
  return Save();
}

}  // namespace sotto
