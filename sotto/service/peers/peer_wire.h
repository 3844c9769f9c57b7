#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/service/host.h"

namespace sotto {

// A question of one process to the one that writes a model: requests of users,
// maybe none, and what the writer shows of the model.
struct PeerAsk {
  std::string model;
  std::string known{};      // version of the publication that the asker has
  bool configured = false;  // the asker has the configuration
  std::vector<HostRequest> requests{};
};

// The answer to it.
struct PeerAnswer {
  Host::State state = Host::State::kStarting;
  std::size_t longest_body = 0;
  std::optional<std::string> estimate{};
  bool publishes = false;
  // Absent if nothing is published, or the asker has it.
  std::optional<Host::Publication> publication{};
  std::string configuration{};       // empty: none, or the asker has it
  std::vector<HostReply> replies{};  // one for each request, in order
};

// Bytes of both. The length of an answer depends on its number of replies and
// on what is public: each reply takes the room of the longest one.
std::string EncodeAsk(const PeerAsk& ask);
std::string EncodeAnswer(const PeerAnswer& answer);
// Fail with kCorruption.
Result<PeerAsk> DecodeAsk(std::string_view bytes);
Result<PeerAnswer> DecodeAnswer(std::string_view bytes);

}  // namespace sotto
