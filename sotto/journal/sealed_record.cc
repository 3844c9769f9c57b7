#include "sotto/journal/sealed_record.h"

#include <sodium.h>
#include <zlib.h>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

static_assert(kNonceBytes == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(kTagBytes == crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(Key::kBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

constexpr std::string_view kGenesis = "sotto-journal-1";

const unsigned char* Raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* Raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

const unsigned char* Raw(const Key& key) {
  return reinterpret_cast<const unsigned char*>(key.bytes().data());
}

ChainHash Hash(std::string_view first, std::string_view second) {
  ChainHash hash;
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, hash.size());
  crypto_generichash_update(&state, Raw(first), first.size());
  crypto_generichash_update(&state, Raw(second), second.size());
  crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

}  // namespace

std::vector<std::uint8_t> RandomNonces(std::size_t count) {
  std::vector<std::uint8_t> nonces(count * kNonceBytes);
  randombytes_buf(nonces.data(), nonces.size());
  return nonces;
}

void Seal(const Key& key, std::string_view associated, std::string_view plain,
          Nonce nonce, std::string& out) {
  out.append(AsText(nonce));
  const std::size_t start = out.size();
  out.resize(start + plain.size() + kTagBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      Raw(out) + start, nullptr, Raw(plain), plain.size(), Raw(associated),
      associated.size(), nullptr, nonce.data(), Raw(key));
}

bool Unseal(const Key& key, std::string_view associated,
            std::string_view sealed, std::string& out) {
  if (sealed.size() < kNonceBytes + kTagBytes) return false;
  const std::string_view cipher = sealed.substr(kNonceBytes);
  const std::size_t start = out.size();
  out.resize(start + cipher.size() - kTagBytes);
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      Raw(out) + start, nullptr, nullptr, Raw(cipher), cipher.size(),
      Raw(associated), associated.size(), Raw(sealed), Raw(key));
  if (failed != 0) out.resize(start);
  return failed == 0;
}

std::string RecordPlace(const Lineage& lineage, std::uint64_t index,
                        const ChainHash& previous) {
  ByteWriter place;
  place.Number(index);
  std::string text;
  text.reserve(lineage.size() + place.bytes().size() + previous.size());
  return text.append(AsText(lineage))
      .append(place.bytes())
      .append(AsText(previous));
}

ChainHash GenesisHash(const Lineage& lineage) {
  return Hash(kGenesis, AsText(lineage));
}

ChainHash NextHash(const ChainHash& previous, std::string_view sealed) {
  return Hash(AsText(previous), sealed);
}

std::uint32_t Crc(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(crc32_z(before, Raw(bytes), bytes.size()));
}

}  // namespace sotto
