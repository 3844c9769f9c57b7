#include "sotto/durable/reply_chain.h"

#include <sodium.h>

namespace sotto {

void ReplyChain::Add(std::string_view item) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, hash_.size());
  crypto_generichash_update(&state, hash_.data(), hash_.size());
  crypto_generichash_update(
      &state, reinterpret_cast<const unsigned char*>(item.data()), item.size());
  crypto_generichash_final(&state, hash_.data(), hash_.size());
}

}  // namespace sotto
