#include "sotto/models/leader/drift_watch.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// False alarm probability of a block, by noise alone.
constexpr double kFalseAlarm = 0x1p-20;
// Mistakes that any hypothesis may make in a window.
constexpr std::int64_t kAnyway = 12;
// Minimum number of blocks of a window. All windows are alike: labels that no
// hypothesis explains are then too many at once, or never.
constexpr std::uint64_t kWindowBlocks = 32;
// Above what was seen.
constexpr double kMargin = 1.25;

}  // namespace

Result<DriftWatch> DriftWatch::Create(const Params& params) {
  if (params.block < 1 || params.block > (1U << 20)) {
    return InvalidArgument("a block has 1 to 2^20 rounds");
  }
  SOTTO_TRY_ASSIGN(auto stopper, ExactStopper::Create(params.epsilon));
  return DriftWatch(params, std::move(stopper));
}

// Long enough that a hypothesis which is wrong in one round of four is seen,
// however small epsilon is.
std::uint64_t DriftWatch::window() const {
  constexpr std::uint64_t kRoundsOfMistake = 4;
  const auto least =
      static_cast<std::uint64_t>(stopper_.EarlySlack(kFalseAlarm) + kAnyway);
  const std::uint64_t blocks =
      (kRoundsOfMistake * least + params_.block - 1) / params_.block;
  return std::max(kWindowBlocks, blocks) * params_.block;
}

std::int64_t DriftWatch::Limit() const {
  return stopper_.EarlySlack(kFalseAlarm) + kAnyway +
         std::llround(wrong_ * static_cast<double>(ticks_));
}

void DriftWatch::BeginWindow(Rng& rng) {
  stopper_.Begin(rng);
  count_ = 0;
  ticks_ = 0;
  ++block_;
}

void DriftWatch::Begin(std::uint64_t length, bool calm, Rng& rng) {
  // The last epoch was long enough to be sure of.
  if (calm && length > 3 * window()) fired_ = 0;
  BeginWindow(rng);
}

bool DriftWatch::Advance(Rng& rng) {
  if (ticks_ > 0 && ticks_ % params_.block == 0) {
    ++block_;
    const std::int64_t limit = Limit();
    if (stopper_.Check(static_cast<std::int64_t>(count_) - limit, rng)) {
      ++fired_;
      // Two in a row: it is not the world that moves.
      if (fired_ > 1) {
        const double seen =
            static_cast<double>(limit) / static_cast<double>(ticks_);
        wrong_ = std::max(wrong_, std::min(0.5, kMargin * seen));
      }
      return true;
    }
    if (ticks_ >= window()) BeginWindow(rng);
  }
  ++ticks_;
  return false;
}

void DriftWatch::Count(std::uint64_t block, bool mistake) {
  count_ += static_cast<std::uint64_t>(mistake && block == block_);
}

void DriftWatch::Save(ByteWriter& writer) const {
  stopper_.Save(writer);
  for (const std::uint64_t number : {count_, ticks_, block_, fired_}) {
    writer.Number(number);
  }
  writer.Real(wrong_);
}

bool DriftWatch::Load(ByteReader& reader) {
  const bool stopper = stopper_.Load(reader);
  for (std::uint64_t* number : {&count_, &ticks_, &block_, &fired_}) {
    *number = reader.Number<std::uint64_t>();
  }
  wrong_ = reader.Real();
  return stopper && !reader.failed() && count_ <= ticks_ &&
         ticks_ <= window() && wrong_ >= 0 && wrong_ <= 0.5;
}

}  // namespace sotto
