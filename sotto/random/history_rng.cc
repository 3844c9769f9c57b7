#include "sotto/random/history_rng.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace sotto {
namespace {

constexpr std::size_t kWordsPerChaChaBlock = 8;
constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> kNonce{};
// Set in the second half of every absorbed input, where the stream's nonce has
// a zero: the two never evaluate the block function at the same point (step 1).
constexpr std::uint64_t kAbsorbBit = std::uint64_t{1} << 63;

void StoreLittleEndian(std::uint64_t value, unsigned char* out) {
  for (int i = 0; i < 8; ++i) {
    out[i] = static_cast<unsigned char>(value >> (8 * i));
  }
}

const unsigned char* Raw(const Key& key) {
  return reinterpret_cast<const unsigned char*>(key.bytes().data());
}

// One ChaCha20 block: half of it is the next key, half the first words.
struct Block {
  std::array<std::byte, Key::kBytes> key;
  std::array<std::uint64_t, 4> words;
};
static_assert(sizeof(Block) == 64);

}  // namespace

void HistoryRng::Absorb(std::uint64_t first, std::uint64_t second) {
  assert(second < kAbsorbBit);
  std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce;
  StoreLittleEndian(second | kAbsorbBit, nonce.data());
  Block block{};
  auto* bytes = reinterpret_cast<unsigned char*>(&block);
  crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof(block), nonce.data(),
                                first, Raw(key_));
  key_ = Key::FromBytes(block.key);
  Preload(block.words);
  sodium_memzero(&block, sizeof(block));
  short_rounds_ = next_block_ <= 1;
  next_block_ = 0;
}

// One block costs half of what eight cost: more than a short round needs.
std::size_t HistoryRng::RefillWords() const {
  return short_rounds_ && next_block_ == 0 ? kWordsPerChaChaBlock : kBlockWords;
}

void HistoryRng::Produce(std::span<std::uint64_t> words) {
  std::ranges::fill(words, 0);
  auto* bytes = reinterpret_cast<unsigned char*>(words.data());
  crypto_stream_chacha20_xor_ic(bytes, bytes, words.size_bytes(), kNonce.data(),
                                next_block_, Raw(key_));
  next_block_ += words.size() / kWordsPerChaChaBlock;
}

}  // namespace sotto
