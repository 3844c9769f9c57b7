#include "sotto/random/chacha_rng.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <bit>

namespace sotto {
namespace {

constexpr std::size_t kWordsPerChaChaBlock = 8;
static_assert(Rng::kBlockWords % kWordsPerChaChaBlock == 0);
// Words are the keystream's bytes, least significant first, on every machine.
static_assert(std::endian::native == std::endian::little);

// One key, one stream: the nonce never changes (chacha_rng.md, step 1).
constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> kNonce{};

}  // namespace

void ChaChaRng::Produce(std::span<std::uint64_t> words) {
  std::ranges::fill(words, 0);
  auto* bytes = reinterpret_cast<unsigned char*>(words.data());
  const auto* key = reinterpret_cast<const unsigned char*>(key_.bytes().data());
  crypto_stream_chacha20_xor_ic(bytes, bytes, words.size_bytes(), kNonce.data(),
                                next_block_, key);
  next_block_ += words.size() / kWordsPerChaChaBlock;
}

}  // namespace sotto
