#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/durable/record.h"

namespace sotto {

// One request to a model, as it left the transport.
struct HostRequest {
  enum class Kind : std::uint8_t {
    kPredict,  // a round, whatever the body is
    kLabel,    // never a round
    kAdd,      // one step of a counter or a monitor
  };
  Kind kind = Kind::kPredict;
  // The JSON object of the request: {"x":..}, {"ticket":..,"y":..},
  // {"value":..}. Names in it are ignored.
  std::string body{};
  // The body cannot be read, is too long, was cut or is late.
  bool unusable = false;
  // Name of the user, from the credential or a header. Hashed at once. Empty: a
  // user of this round only.
  std::string user{};
  // Scope of the idempotency key: the name of the credential.
  std::string credential{};
  std::string idempotency_key{};  // empty: none
  // Of a prediction: the answer that the process which took the request gives,
  // from what is published. The model counts it as its own.
  std::optional<PublishedAnswer> answered{};
};

// The reply. It leaves after its record and the anchor are durable.
struct HostReply {
  enum class Kind : std::uint8_t {
    // {"prediction":..,["probability":..,]["ticket":"..",]["hypothesis":".."]}
    kAnswered,
    kEmptyRound,   // {"error":..,"code":"bad_row"|"over_limit"|"empty_round"}
    kCounted,      // {"estimate":..} or {"above":..}
    kTaken,        // {"ok":true}: the label counts, now or since before
    kRefused,      // one and the same text for every label that is not taken
    kHalted,       // the budget is used up; no round
    kUnavailable,  // starting, frozen, draining or full: nothing is shown
    kInvalid,      // this kind of request is not for this model; no round
    kUnknown,      // it may count: the database or the writer did not say
  };
  Kind kind = Kind::kUnavailable;
  // A JSON object, never longer than Host::longest_body(). The same bytes for a
  // repeated idempotency key.
  std::string body{};
};

}  // namespace sotto
