#include "sotto/online/online_model.h"

#include <cmath>
#include <utility>

namespace sotto {
namespace {

// Not a number stands for none.
void Write(const std::optional<double>& number, ByteWriter& writer) {
  writer.Real(number.value_or(NAN));
}

std::optional<double> Read(ByteReader& reader) {
  const double number = reader.Real();
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

}  // namespace

void OnlineModel::Forecast::Save(ByteWriter& writer) const {
  Write(expected, writer);
  Write(bound, writer);
  writer.Text(verdict);
}

OnlineModel::Forecast OnlineModel::Forecast::Load(ByteReader& reader) {
  Forecast forecast;
  forecast.expected = Read(reader);
  forecast.bound = Read(reader);
  forecast.verdict = std::string(reader.Text());
  return forecast;
}

Status OnlineModel::Train(const RoundSource&, Rng&) {
  return FailedPrecondition(
      "this model starts from nothing and takes no labelled set");
}

void OnlineModel::WriteRelease(ByteWriter& writer) const {
  if (const auto published = hypothesis()) writer.Raw(published->Dump());
}

Result<std::size_t> OnlineModel::Play(std::span<Round> rounds,
                                      NoiseHistory& history) {
  Round& round = rounds.front();
  round.phase = phase();
  SOTTO_TRY_ASSIGN(auto opened,
                   Open(round.x, round.user, history.Begin(round)));
  round.prediction = opened.prediction;
  round.probability = opened.probability;
  round.paid = opened.paid;
  if (!round.y) return std::size_t{1};
  history.AddLabel(history.rounds(), *round.y);
  if (halted()) return std::size_t{1};
  SOTTO_TRY(Close(std::move(opened.open), *round.y));
  return std::size_t{1};
}

}  // namespace sotto
