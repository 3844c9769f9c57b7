#include "sotto/model/noise_history.h"

#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace sotto {
namespace {

// Second words that a hash, whose second word has 63 uniform bits, takes with
// probability 2^-60.
constexpr std::uint64_t kEmptyRound = 3;

std::uint64_t CodeOf(const std::optional<bool>& label) {
  return !label ? 0 : *label ? 2 : 1;
}

void Append(std::uint64_t word, std::string& bytes) {
  for (int i = 0; i < 8; ++i) {
    bytes.push_back(static_cast<char>(word >> (8 * i) & 0xff));
  }
}

std::uint64_t WordAt(const Key& key, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, key.bytes().data() + offset, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap64(word);
  }
  return word;
}

bool OneNumber(const Round& round) {
  return round.x.size() == 1 && round.x[0].index == 0 && round.user.empty();
}

}  // namespace

Rng& NoiseHistory::Begin(const Round& round) {
  ++rounds_;
  const std::uint64_t label = CodeOf(std::exchange(last_, std::nullopt));
  const bool short_labels = labels_.empty();
  if (short_labels && !round.present()) {
    rng_->Absorb(0, kEmptyRound + label);
    return *rng_;
  }
  if (short_labels && OneNumber(round)) {
    rng_->Absorb(std::bit_cast<std::uint64_t>(round.x[0].value), label);
    return *rng_;
  }
  bytes_.clear();
  if (round.present()) {
    for (const Feature& feature : round.x) {
      Append(feature.index, bytes_);
      Append(std::bit_cast<std::uint64_t>(feature.value), bytes_);
    }
  }
  // All empty rounds are alike: what makes a round empty changes nothing.
  const std::string_view user =
      round.present() ? std::string_view(round.user) : std::string_view();
  const std::uint64_t present = round.present() ? 1 : 0;
  const Key digest = hash_.Derive("round-v2", "input",
                                  {label, present, std::string_view(bytes_),
                                   user, std::string_view(labels_)});
  labels_.clear();
  rng_->Absorb(WordAt(digest, 0), WordAt(digest, 8) >> 1);
  return *rng_;
}

void NoiseHistory::Taught(std::uint64_t round, const Label& y) {
  // Only as the first: the order in which labels came is part of the history.
  if (round == rounds_ && !last_ && labels_.empty() &&
      (y == Label(false) || y == Label(true))) {
    last_ = y.positive();
    return;
  }
  Append(round, labels_);
  Append(std::bit_cast<std::uint64_t>(y.number()), labels_);
}

void NoiseHistory::Rewind(const Place& place) {
  rng_ = std::make_unique<HistoryRng>(place.key);
  rounds_ = place.rounds;
  last_.reset();
  labels_.clear();
}

void NoiseHistory::Save(ByteWriter& writer) const {
  rng_->key().Save(writer);
  hash_.Save(writer);
  writer.Number(rounds_);
  writer.Number(static_cast<std::uint8_t>(CodeOf(last_)));
  writer.Text(labels_);
}

Result<NoiseHistory> NoiseHistory::Load(ByteReader& reader) {
  const auto noise = Key::Load(reader);
  if (!noise) return noise.error();
  const auto hash = Key::Load(reader);
  if (!hash) return hash.error();
  NoiseHistory history(*noise, *hash);
  history.rounds_ = reader.Number<std::uint64_t>();
  const auto last = reader.Number<std::uint8_t>();
  history.labels_ = std::string(reader.Text());
  if (reader.failed() || last > 2) {
    return Error{ErrorCode::kCorruption, "the saved history makes no sense"};
  }
  if (last > 0) history.last_ = last == 2;
  return history;
}

}  // namespace sotto
