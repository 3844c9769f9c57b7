#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto {

// Seals what the processes of a service say to each other, with a key that is
// derived from the key file and reveals nothing of it: a front holds this one
// alone.
//
//   PeerSeal seal(DerivePeerKey(root));
//   std::string sealed = seal.Close("ask", place, bytes);
//   auto bytes = seal.Open("ask", place, sealed);   // absent: not sealed so
//
// `direction` and `place` say which message of which conversation it is. The
// last byte of a sealed text is never a blank.
//
// Threads: a value type.
class PeerSeal {
 public:
  explicit PeerSeal(const Key& key) : key_(key) {}

  std::string Close(std::string_view direction, std::string_view place,
                    std::string_view plain) const;
  std::optional<std::string> Open(std::string_view direction,
                                  std::string_view place,
                                  std::string_view sealed) const;

 private:
  Key key_;
};

Key DerivePeerKey(const Key& root);
// Keeps the key in a file with mode 0600, for fronts. Leaves the file if it
// holds the key already.
Status WritePeerKey(const std::string& path, const Key& key);

// The place of a message: a lane and the number of the message in it.
inline constexpr std::size_t kLaneBytes = 16;
std::string LanePlace(std::string_view lane, std::uint64_t number);
std::string RandomLane();

}  // namespace sotto
