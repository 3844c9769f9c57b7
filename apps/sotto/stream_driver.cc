#include "stream_driver.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sotto::app {
namespace {

// A vote is looked at after every 1/64 of the way more.
constexpr std::uint64_t kSampleStep = 64;

}  // namespace

StreamDriver::StreamDriver(const Parts& parts,
                           const volatile std::sig_atomic_t* stop)
    : parts_(parts),
      stop_(stop),
      pending_(std::max<std::size_t>(parts.model->best_batch(), 1)),
      outcomes_(pending_.size()),
      next_sample_(parts.tally->now.rounds) {}

Status StreamDriver::Pause() {
  if (Status played = PlayPending(); !played) return played;
  return parts_.predictions != nullptr ? parts_.predictions->Flush() : Ok();
}

Status StreamDriver::Run(ExampleReader& reader) {
  Status status = Ok();
  while (!parts_.model->halted() && *stop_ == 0) {
    const std::size_t slot = count_;
    const auto more = reader.Next(pending_[slot]);
    // If the input paused, what was pending has been played.
    if (slot != count_) std::swap(pending_[slot], pending_[count_]);
    if (!PlaySkipped(reader.skipped().total())) break;
    if (!more) status = more.error();
    if (!more || !*more) break;
    if (++count_ < pending_.size()) continue;
    if (!PlayPending()) break;
  }
  const Status played = PlayPending();
  if (parts_.predictions != nullptr && !failure_) {
    if (Status out = parts_.predictions->Flush(); !out) return out;
  }
  if (!failure_) return status;
  return InvalidArgument(reader.position() + ": " + failure_->message);
}

Status StreamDriver::PlaySkipped(std::uint64_t skipped) {
  if (skipped == skipped_) return Ok();
  // The row that was just read is kept: it comes after those that were skipped.
  const std::size_t read = count_;
  if (Status played = PlayPending(); !played) return played;
  if (read != 0) std::swap(pending_[0], pending_[read]);
  for (; skipped_ < skipped && !failure_; ++skipped_) {
    if (const Status ticked = parts_.model->Skip(); !ticked) {
      failure_ = ticked.error();
    }
    if (parts_.public_mistakes == nullptr) continue;
    // Where everything is public, so is that there was a round.
    parts_.tally->now.shown = parts_.public_mistakes->Add(false);
    ++parts_.tally->now.rounds;
  }
  return failure_ ? Status(*failure_) : Ok();
}

Status StreamDriver::PlayPending() {
  if (failure_) return *failure_;
  const std::size_t size = count_;
  count_ = 0;
  if (size == 0) return Ok();
  if (parts_.sample_votes) SampleVotes(size);
  const auto rounds = std::span<const Example>(pending_).first(size);
  const auto played =
      parts_.model->Play(rounds, std::span(outcomes_).first(size));
  if (!played) {
    failure_ = played.error();
    return *failure_;
  }
  for (std::size_t i = 0; i < *played; ++i) {
    Record(pending_[i], outcomes_[i]);
    if (const Status written = Predict(outcomes_[i]); !written) {
      failure_ = written.error();
      return *failure_;
    }
  }
  if (parts_.model->halted() && !parts_.tally->halted_at) {
    parts_.tally->halted_at = parts_.tally->now.rounds;
  }
  return Ok();
}

// All rounds of a batch are looked at as it begins: near enough for a picture.
void StreamDriver::SampleVotes(std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t round = parts_.tally->now.rounds + i;
    if (round < next_sample_) continue;
    const auto share = parts_.model->VoteShare(pending_[i].x);
    if (share) votes_.push_back({round + 1, *share});
    next_sample_ = round + 1 + round / kSampleStep;
  }
}

void StreamDriver::Record(const Example& example, const RoundOutcome& outcome) {
  RunTally& tally = *parts_.tally;
  std::int64_t shown = 0;
  if (parts_.public_mistakes != nullptr) {
    const bool wrong =
        outcome.answered && example.y && *example.y != outcome.prediction;
    shown = parts_.public_mistakes->Add(wrong);
  }
  tally.Add(example, outcome, shown);
  if (parts_.comparison != nullptr) {
    Round round{.x = example.x};
    if (example.y) round.y = Label(*example.y);
    if (outcome.answered) round.told = Label(outcome.prediction);
    parts_.comparison->Play(round);
    tally.plain_mistakes = parts_.comparison->mistakes();
  }
  parts_.table->Row(tally.now, outcome.phase);
  parts_.line->Tick(tally.now.rounds);
}

Status StreamDriver::Predict(const RoundOutcome& outcome) {
  if (parts_.predictions == nullptr) return Ok();
  if (outcome.answered) {
    parts_.predictions->Text(outcome.prediction ? "1" : "0");
  }
  return parts_.predictions->EndLine();
}

}  // namespace sotto::app
