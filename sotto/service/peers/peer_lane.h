#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sotto/service/client/http_client.h"
#include "sotto/service/peers/peer_seal.h"
#include "sotto/service/peers/peer_wire.h"

namespace sotto {

// One connection to another process, kept open: a question, its answer, the
// next question. The other side numbers lanes by random names, and takes each
// number of a lane once: a message that was recorded is worth nothing.
//
// Threads: not thread-safe.
class PeerLane {
 public:
  enum class Outcome : std::uint8_t {
    kDone,
    kNotSent,  // the other process did nothing
    kLost,     // it may have done what was asked, or may still do it
  };
  using Patient = std::function<bool()>;

  explicit PeerLane(PeerSeal seal) : seal_(std::move(seal)) {}

  // Asks the process at the address. `patient` is called a few times a
  // second and gives up by returning false.
  Outcome Ask(const std::string& address, const PeerAsk& ask,
              const Patient& patient, PeerAnswer& answer);

 private:
  bool Open(const std::string& address, const Patient& patient);
  Outcome AskOnce(const std::string& body, PeerAnswer& answer, bool& retry);
  Outcome Fail(Outcome outcome);

  PeerSeal seal_;
  std::string address_{};
  std::optional<HttpClient> client_{};
  std::string lane_{};
  std::uint64_t number_ = 0;
};

}  // namespace sotto
