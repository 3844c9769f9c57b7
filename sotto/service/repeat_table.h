#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/durable/record.h"
#include "sotto/random/key.h"
#include "sotto/service/host_request.h"

namespace sotto {

// Replies to requests with an idempotency key, for the request that comes
// again. An entry lives `lifetime` rounds of the public clock (0: without
// limit), whatever its reply was.
//
// Threads: not thread-safe.
class RepeatTable {
 public:
  explicit RepeatTable(std::uint64_t lifetime) : lifetime_(lifetime) {}

  // The name of a request in the table: a keyed hash of everything the key is
  // scoped to.
  static Hash16 MakeName(const Key& key, std::string_view credential,
                         std::string_view user, std::string_view repeat,
                         std::string_view body);

  // The reply, or null; also without a name.
  const std::string* Find(const std::optional<Hash16>& name) const;
  // The reply to a request that comes again, or null. Sets the name of a
  // request with an idempotency key.
  const std::string* Find(const Key& key, const HostRequest& request,
                          std::optional<Hash16>& name) const;
  // Keeps a reply of round `now`. Requires that the name is new and that `now`
  // does not decrease.
  void Keep(const Hash16& name, std::uint64_t now, std::string reply);
  // Drops what is too old. Call it with every round.
  void Expire(std::uint64_t now);

  std::size_t size() const { return replies_.size(); }

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  struct Spread {
    // Names are pseudo-random.
    std::size_t operator()(const Hash16& name) const;
  };

  std::uint64_t lifetime_;
  std::unordered_map<Hash16, std::string, Spread> replies_{};
  std::deque<std::pair<std::uint64_t, Hash16>> order_{};
};

}  // namespace sotto
