#include "winnow_stream.h"

namespace sotto::app {
namespace {

Error Corrupt() {
  return {ErrorCode::kCorruption,
          "the saved users and labels to come make no sense"};
}

std::uint8_t CodeOf(const std::optional<bool>& label) {
  return !label ? 0 : *label ? 2 : 1;
}

std::optional<bool> LabelOf(std::uint8_t code) {
  if (code == 0) return std::nullopt;
  return code == 2;
}

}  // namespace

std::uint64_t WinnowStream::phase() const {
  if (const auto* ours = std::get_if<PrivateWinnow>(&winnow_)) {
    return ours->batches();
  }
  return static_cast<std::uint64_t>(std::get<DpWinnow>(winnow_).updates());
}

const WinnowHypothesis& WinnowStream::hypothesis() const {
  return std::visit(
      [](const auto& w) -> const WinnowHypothesis& { return w.hypothesis(); },
      winnow_);
}

const Guarantee& WinnowStream::guarantee() const {
  return std::visit(
      [](const auto& w) -> const Guarantee& { return w.guarantee(); }, winnow_);
}

Result<std::size_t> WinnowStream::Play(std::span<const Example> rounds,
                                       std::span<RoundOutcome> outcomes) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (Status played = PlayOne(rounds[i], outcomes[i]); !played) {
      return played.error();
    }
  }
  return rounds.size();
}

Result<WinnowRound> WinnowStream::Open(FeatureView x) {
  return std::visit([&](auto& w) { return w.Open(x, history_.rng()); },
                    winnow_);
}

// As for a user who is refused; absorbed as what no row can be.
Status WinnowStream::Skip() {
  history_.Absorb({}, std::string_view("\0", 1), std::exchange(taught_, {}));
  const auto round = Open(FeatureView());
  if (!round) return round.error();
  waiting_.push_back({});
  TeachDue();
  return Ok();
}

// The clock ticks for a user who is refused, too: it is public.
Status WinnowStream::PlayOne(const Example& example, RoundOutcome& outcome) {
  history_.Absorb(example.x, example.user, std::exchange(taught_, {}));
  const bool admitted = ledger_.Admit(example.user, 0);
  const std::uint64_t before = phase();
  auto round = Open(admitted ? FeatureView(example.x) : FeatureView());
  if (!round) return round.error();
  outcome = {.answered = admitted,
             .prediction = admitted && round->prediction,
             .paid = phase() != before,
             .phase = phase()};
  Waiting waiting{std::nullopt, OfTwo(example.y)};
  if (admitted) waiting.round = *std::move(round);
  waiting_.push_back(std::move(waiting));
  TeachDue();
  return Ok();
}

void WinnowStream::TeachDue() {
  if (waiting_.size() <= label_delay_) return;
  Waiting due = std::move(waiting_.front());
  waiting_.pop_front();
  if (!due.round || !due.label) return;
  taught_ = due.label;
  std::visit([&](auto& w) { w.Close(*std::move(due.round), *due.label); },
             winnow_);
}

Status WinnowStream::Save(ByteWriter& writer) {
  std::visit([&](const auto& w) { w.Save(writer); }, winnow_);
  writer.Number(CodeOf(taught_));
  ledger_.Save(writer);
  writer.Number(static_cast<std::uint64_t>(waiting_.size()));
  for (const Waiting& waiting : waiting_) {
    writer.Number(static_cast<std::uint8_t>(waiting.round ? 1 : 0));
    writer.Number(CodeOf(waiting.label));
    if (waiting.round) waiting.round->Save(writer);
  }
  return Ok();
}

Status WinnowStream::LoadRest(ByteReader& reader) {
  const auto taught = reader.Number<std::uint8_t>();
  if (taught > 2) return Corrupt();
  taught_ = LabelOf(taught);
  if (Status users = ledger_.Load(reader); !users) return users;
  const auto size = reader.Number<std::uint64_t>();
  if (size > label_delay_ || size > reader.RoomFor(2)) return Corrupt();
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto answered = reader.Number<std::uint8_t>();
    const auto label = reader.Number<std::uint8_t>();
    if (label > 2 || answered > 1) return Corrupt();
    Waiting waiting{std::nullopt, LabelOf(label)};
    if (answered == 1) {
      auto round = WinnowRound::Load(reader);
      if (!round) return round.error();
      waiting.round = *std::move(round);
    }
    waiting_.push_back(std::move(waiting));
  }
  return Ok();
}

}  // namespace sotto::app
