#include "pop_stream.h"

#include <algorithm>
#include <string_view>

namespace sotto::app {
namespace {

constexpr std::size_t kLargestBatch = 1024;

Error Corrupt() {
  return {ErrorCode::kCorruption, "the saved labels to come make no sense"};
}

std::uint8_t CodeOf(const std::optional<bool>& label) {
  return !label ? 0 : *label ? 2 : 1;
}

Result<std::optional<bool>> LabelOf(std::uint8_t code) {
  if (code > 2) return Corrupt();
  if (code == 0) return std::optional<bool>();
  return std::optional<bool>(code == 2);
}

// How many of the first rounds have no named user: named ones must be asked for
// one by one, because some may be refused.
std::size_t Unnamed(std::span<const Example> rounds) {
  const auto named = std::ranges::find_if(
      rounds, [](const Example& r) { return !r.user.empty(); });
  return static_cast<std::size_t>(named - rounds.begin());
}

}  // namespace

std::size_t PopStream::best_batch() const {
  if (label_delay_ > 0) return 1;
  return std::min(pop_.best_batch(), kLargestBatch);
}

Result<std::size_t> PopStream::Play(std::span<const Example> rounds,
                                    std::span<RoundOutcome> outcomes) {
  std::size_t done = 0;
  while (done < rounds.size() && !pop_.halted()) {
    const auto rest = rounds.subspan(done);
    const std::size_t size = std::min(Unnamed(rest), best_batch());
    if (size > 1) {
      const auto played =
          PlayBatch(rest.first(size), outcomes.subspan(done, size));
      if (!played) return played.error();
      done += *played;
    } else {
      const Status played = PlayOne(rest.front(), outcomes[done]);
      if (!played) return played.error();
      ++done;
    }
  }
  return done;
}

Status PopStream::PlayOne(const Example& example, RoundOutcome& outcome) {
  outcome = {.phase = pop_.phase()};
  history_.Absorb(example.x, example.user, taught_);
  taught_.reset();
  if (!ledger_.Admit(example.user, pop_.phase())) {
    if (Status ticked = pop_.Tick(history_.rng()); !ticked) return ticked;
    waiting_.push_back({});
    return TeachDue();
  }
  auto round = pop_.Open(example.x, example.user, history_.rng());
  if (!round) return round.error();
  outcome.answered = true;
  outcome.prediction = round->prediction();
  outcome.paid = round->paid();
  waiting_.push_back({*std::move(round), example.y});
  return TeachDue();
}

// Absorbed as what no row can be, so that a row in its place draws other noise.
Status PopStream::Skip() {
  if (pop_.halted()) return Ok();
  history_.Absorb({}, std::string_view("\0", 1), taught_);
  taught_.reset();
  if (Status ticked = pop_.Tick(history_.rng()); !ticked) return ticked;
  waiting_.push_back({});
  return TeachDue();
}

Status PopStream::TeachDue() {
  if (waiting_.size() <= label_delay_) return Ok();
  Waiting due = std::move(waiting_.front());
  waiting_.pop_front();
  if (!due.round || !due.label) return Ok();
  taught_ = due.label;
  return pop_.Close(*std::move(due.round), *due.label);
}

Result<std::size_t> PopStream::PlayBatch(std::span<const Example> rounds,
                                         std::span<RoundOutcome> outcomes) {
  std::vector<Procedure::Example> examples;
  std::vector<Procedure::Draw> draws;
  std::vector<Key> places;
  for (const Example& round : rounds) {
    history_.Absorb(round.x, {}, taught_);
    taught_ = round.y;
    draws.push_back(pop_.DrawRound(history_.rng()));
    places.push_back(history_.place());
    examples.push_back({round.x, round.y});
  }
  const std::uint64_t phase = pop_.phase();
  std::vector<Procedure::Answer> answers(rounds.size());
  const auto played = pop_.PlayDrawn(examples, draws, answers);
  if (!played) return played.error();
  // A hand-over: what was drawn for later rounds was not used, and they draw
  // again, in their own phase, from the same place.
  if (*played < rounds.size()) history_.Rewind(places[*played - 1]);
  taught_ = rounds[*played - 1].y;
  for (std::size_t i = 0; i < *played; ++i) {
    outcomes[i] = {true, answers[i].prediction, answers[i].paid, phase};
  }
  return *played;
}

std::optional<double> PopStream::VoteShare(FeatureView x) {
  const auto votes = pop_.Votes(x);
  if (!votes) return std::nullopt;
  return static_cast<double>(*votes) /
         static_cast<double>(schedule().At(pop_.phase()).copies);
}

Status PopStream::Save(ByteWriter& writer) {
  if (Status saved = pop_.Save(writer); !saved) return saved;
  ledger_.Save(writer);
  writer.Number(CodeOf(taught_));
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const Waiting& waiting : waiting_) {
    writer.Number(static_cast<std::uint8_t>(waiting.round ? 1 : 0));
    writer.Number(CodeOf(waiting.label));
    if (waiting.round) waiting.round->Save(writer);
  }
  return Ok();
}

Status PopStream::LoadQueue(ByteReader& reader) {
  if (Status users = ledger_.Load(reader); !users) return users;
  const auto taught = LabelOf(reader.Number<std::uint8_t>());
  if (!taught) return taught.error();
  taught_ = *taught;
  const auto size = reader.Number<std::uint64_t>();
  if (size > label_delay_ || size > reader.RoomFor(2)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto answered = reader.Number<std::uint8_t>();
    const auto label = LabelOf(reader.Number<std::uint8_t>());
    if (!label || answered > 1) return Corrupt();
    Waiting waiting{std::nullopt, *label};
    if (answered == 1) {
      auto round = Procedure::Round::Load(reader);
      if (!round) return round.error();
      waiting.round = *std::move(round);
    }
    waiting_.push_back(std::move(waiting));
  }
  return Ok();
}

}  // namespace sotto::app
