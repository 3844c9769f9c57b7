#include "round_history.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace sotto::app {
namespace {

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

}  // namespace

void RoundHistory::Absorb(FeatureView x, std::string_view user,
                          const std::optional<bool>& taught) {
  const std::uint64_t label = CodeOf(taught);
  if (x.size() == 1 && x[0].index == 0 && user.empty()) {
    // The second word is below 3; a hash has one so small with probability
    // 2^-61.
    rng_->Absorb(std::bit_cast<std::uint64_t>(x[0].value), label);
    return;
  }
  bytes_.clear();
  for (const Feature& feature : x) {
    Append(feature.index, bytes_);
    Append(std::bit_cast<std::uint64_t>(feature.value), bytes_);
  }
  const Key digest = hash_.Derive("round-v1", "input",
                                  {label, std::string_view(bytes_), user});
  rng_->Absorb(WordAt(digest, 0), WordAt(digest, 8) >> 1);
}

}  // namespace sotto::app
