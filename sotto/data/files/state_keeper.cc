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

Status StateKeeper::Begin() { return Write(); }

Status StateKeeper::Save() { return unsaved_ > 0 ? Write() : Ok(); }

Status StateKeeper::Write() {
  if (!kept()) return Ok();
  const Clock::time_point start = parts_.now();
  SOTTO_TRY_ASSIGN(const auto state, parts_.state());
  if (Status written = WriteStateFile(parts_.path, state, *parts_.files);
      !written) {
    return written;
  }
  saved_at_ = parts_.now();
  cost_ = saved_at_ - start;
  saved_ += std::exchange(unsaved_, 0);
  until_look_ = kAnswersPerLook;
  return Ok();
}

Status StateKeeper::Release() {
  Status released = parts_.release();
  broken_ = !released;
  return released;
}

StateKeeper::Clock::duration StateKeeper::Period() const {
  return std::max<Clock::duration>(kPeriod, kShareOfTime * cost_);
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
    Status saved = Save();
    return saved ? Release() : saved;
  }
  if (parts_.every > 0) {
    if (unsaved_ < parts_.every) return Ok();
  } else {
    until_look_ -= std::min(until_look_, answers);
    if (until_look_ > 0) return Ok();
    until_look_ = kAnswersPerLook;
    if (parts_.now() - saved_at_ < Period()) return Ok();
  }
  Status released = Release();
  return released ? Save() : released;
}

Status StateKeeper::Pause(const std::function<bool(int)>& waits) {
  SOTTO_TRY(Release());
  if (!kept() || parts_.every > 0 || unsaved_ == 0) return Ok();
  const Clock::duration left = Period() - (parts_.now() - saved_at_);
  const auto milliseconds =
      std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (milliseconds > 0 && !waits(static_cast<int>(milliseconds))) return Ok();
  return Save();
}

Status StateKeeper::End() {
  if (broken_) return Ok();
  SOTTO_TRY(Release());
  return Save();
}

}  // namespace sotto
