#include "sotto/online/noise_history.h"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <utility>

namespace sotto {
namespace {

// Second words that a hash, whose second word has 63 uniform bits, takes with
// probability 2^-60.
constexpr std::uint64_t kEmptyRound = 3;

std::uint64_t ExitCode(const std::optional<bool>& label) {
  return !label ? 0 : *label ? 2 : 1;
}

// Writes numbers one after the other, the lowest byte first, into room enough.
class Writer {
 public:
  explicit Writer(char* at) : at_(at) {}
  template <std::unsigned_integral T>
  void Number(T value) {
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        *at_++ = static_cast<char>(value >> (8 * i) & 0xff);
      }
    } else {
      std::memcpy(at_, &value, sizeof(T));
      at_ += sizeof(T);
    }
  }
  void Real(double value) { Number(std::bit_cast<std::uint64_t>(value)); }
  void Text(std::string_view text) {
    at_ = std::copy(text.begin(), text.end(), at_);
  }
  char* at() const { return at_; }

 private:
  char* at_;
};

void Append(std::uint64_t word, std::string& bytes) {
  std::array<char, sizeof(word)> room;
  Writer(room.data()).Number(word);
  bytes.append(room.data(), room.size());
}

bool OneNumber(const Round& round) {
  return round.x.size() == 1 && round.x[0].index == 0 && round.user.empty();
}

}  // namespace

Rng& NoiseHistory::Begin(const Round& round) {
  ++rounds_;
  const std::uint64_t label = ExitCode(std::exchange(last_, std::nullopt));
  const bool short_labels = labels_.empty();
  if (short_labels && !round.present()) {
    rng_->Absorb(0, kEmptyRound + label);
    return *rng_;
  }
  if (short_labels && OneNumber(round)) {
    rng_->Absorb(std::bit_cast<std::uint64_t>(round.x[0].value), label);
    return *rng_;
  }
  const auto digest = inputs_.Hash(Encoded(round, label));
  labels_.clear();
  rng_->Absorb(digest[0], digest[1] >> 1);
  return *rng_;
}

// Features of value 1, which is what categories are, are listed by their
// indices: a row of a table is then often one block of the hash.
std::string_view NoiseHistory::Encoded(const Round& round,
                                       std::uint64_t label) {
  constexpr std::size_t kHead = 1 + 8 + 8 + 4;
  // All empty rounds are alike: what makes a round empty changes nothing.
  const bool present = round.present();
  const FeatureView x = present ? FeatureView(round.x) : FeatureView();
  const std::string_view user = present ? round.user : std::string_view();
  const std::size_t most = kHead + user.size() + labels_.size() +
                           x.size() * (sizeof(std::uint32_t) + sizeof(double));
  if (bytes_.size() < most) bytes_.resize(most);
  const auto ones = static_cast<std::uint32_t>(std::ranges::count_if(
      x, [](const Feature& feature) { return feature.value == 1; }));
  Writer writer(bytes_.data());
  writer.Number(static_cast<std::uint8_t>(label | (present ? 4 : 0)));
  writer.Number(static_cast<std::uint64_t>(user.size()));
  writer.Number(static_cast<std::uint64_t>(labels_.size()));
  writer.Number(ones);
  writer.Text(user);
  writer.Text(labels_);
  for (const Feature& feature : x) {
    if (feature.value == 1) writer.Number(feature.index);
  }
  for (const Feature& feature : x) {
    if (feature.value == 1) continue;
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
  return {bytes_.data(), static_cast<std::size_t>(writer.at() - bytes_.data())};
}

void NoiseHistory::AddLabel(std::uint64_t round, const Label& y) {
  // Only as the first: the order in which labels came is part of the history.
  if (round == rounds_ && !last_ && labels_.empty() && y.is_bit()) {
    last_ = y.positive();
    return;
  }
  Append(round, labels_);
  Append(y.bits(), labels_);
}

void NoiseHistory::Rewind(const Place& place) {
  rng_ = std::make_unique<HistoryRng>(place.key);
  rounds_ = place.rounds;
  last_.reset();
  labels_.clear();
}

void NoiseHistory::Rotate(const Key& noise, const Key& hash) {
  hash_ = hash;
  inputs_ = InputKey(hash);
  rng_ = std::make_unique<HistoryRng>(noise);
}

void NoiseHistory::Save(ByteWriter& writer) const {
  rng_->key().Save(writer);
  hash_.Save(writer);
  writer.Number(rounds_);
  writer.Number(static_cast<std::uint8_t>(ExitCode(last_)));
  writer.Text(labels_);
}

Result<NoiseHistory> NoiseHistory::Load(ByteReader& reader) {
  SOTTO_TRY_ASSIGN(const auto noise, Key::Load(reader));
  SOTTO_TRY_ASSIGN(const auto hash, Key::Load(reader));
  NoiseHistory history(noise, hash);
  history.rounds_ = reader.Number<std::uint64_t>();
  const auto last = reader.Number<std::uint8_t>();
  history.labels_ = std::string(reader.Text());
  if (reader.failed() || last > 2) {
    return Corruption("the saved history makes no sense");
  }
  if (last > 0) history.last_ = last == 2;
  return history;
}

}  // namespace sotto
