#include "sotto/random/key.h"

#include <sodium.h>

#include <algorithm>

namespace sotto {
namespace {

static_assert(Key::kBytes == crypto_generichash_KEYBYTES);
static_assert(Key::kBytes == crypto_generichash_BYTES);

unsigned char* Raw(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

const unsigned char* Raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Keyed BLAKE2b over a prefix-free encoding (key.md, step 1).
class Derivation {
 public:
  explicit Derivation(std::span<const std::byte> key) {
    crypto_generichash_init(&state_, Raw(key), key.size(), Key::kBytes);
  }
  ~Derivation() { sodium_memzero(&state_, sizeof(state_)); }
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  void AddNumber(std::uint64_t number) {
    std::array<unsigned char, 8> little_endian;
    for (unsigned char& byte : little_endian) {
      byte = static_cast<unsigned char>(number & 0xff);
      number >>= 8;
    }
    crypto_generichash_update(&state_, little_endian.data(),
                              little_endian.size());
  }

  void AddBytes(std::span<const std::byte> bytes) {
    AddNumber(bytes.size());
    crypto_generichash_update(&state_, Raw(bytes), bytes.size());
  }

  void AddItem(const ContextItem& item) {
    AddNumber(item.is_bytes() ? 1 : 0);
    item.is_bytes() ? AddBytes(item.bytes()) : AddNumber(item.number());
  }

  void Finish(std::span<std::byte> out) {
    crypto_generichash_final(&state_, Raw(out), out.size());
  }

 private:
  crypto_generichash_state state_;
};

}  // namespace

Result<Key> Key::Generate() {
  if (sodium_init() < 0) {
    return Unavailable("the operating system gives no random bytes");
  }
  Key key;
  randombytes_buf(key.bytes_.data(), kBytes);
  return key;
}

Key Key::FromBytes(std::span<const std::byte, kBytes> bytes) {
  // Chooses the fastest ChaCha20 this processor has. If it fails, the portable
  // one gives the same stream, so the result may be ignored.
  [[maybe_unused]] const int ignored = sodium_init();
  Key key;
  std::ranges::copy(bytes, key.bytes_.begin());
  return key;
}

Key::~Key() { sodium_memzero(bytes_.data(), kBytes); }

Key Key::Derive(std::string_view domain, std::string_view purpose,
                std::span<const ContextItem> context) const {
  Derivation derivation(bytes_);
  derivation.AddBytes(std::as_bytes(std::span(domain)));
  derivation.AddBytes(std::as_bytes(std::span(purpose)));
  derivation.AddNumber(context.size());
  for (const ContextItem& item : context) derivation.AddItem(item);
  Key child;
  derivation.Finish(child.bytes_);
  return child;
}

std::array<std::uint64_t, 2> Key::Hash(std::string_view bytes) const {
  std::array<unsigned char, 16> out;
  crypto_generichash(out.data(), out.size(),
                     Raw(std::as_bytes(std::span(bytes))), bytes.size(),
                     Raw(bytes_), bytes_.size());
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = out.size(); i-- > 0;) {
    words[i / 8] = words[i / 8] << 8 | out[i];
  }
  return words;
}

void Key::Save(ByteWriter& writer) const {
  writer.Text({reinterpret_cast<const char*>(bytes_.data()), kBytes});
}

Result<Key> Key::Load(ByteReader& reader) {
  const std::string_view text = reader.Text();
  if (text.size() != kBytes) {
    return Corruption("the state holds no whole key");
  }
  return FromBytes(std::span<const std::byte, kBytes>(
      reinterpret_cast<const std::byte*>(text.data()), kBytes));
}

}  // namespace sotto
