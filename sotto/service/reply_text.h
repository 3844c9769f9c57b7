#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/label.h"
#include "sotto/durable/session_machine.h"
#include "sotto/service/host_request.h"

namespace sotto {

// Replies as bytes: functions of an outcome and of public facts alone, so that
// a replay gives the same ones.
//
// Threads: pure functions.
HostReply UnavailableReply();
HostReply UnknownReply();
HostReply HaltedReply();
HostReply InvalidReply();
HostReply TakenReply();
HostReply RefusedReply();
HostReply AnsweredReply(const RoundOutcome& outcome, const LabelType& labels,
                        std::string_view ticket);
// The version of a publication by its number.
std::string ReleaseName(std::uint64_t number);
// `error`: of a bad row.
HostReply EmptyReply(RoundOutcome::Kind kind, const std::string& error);

// A reply as it is kept for a request that comes again.
std::string KeepReply(const HostReply& reply);
HostReply RestoreReply(std::string_view kept);

// The beginning of a message that takes at most kMaxErrorBytes, also as JSON.
std::string ClipError(std::string error);

// No reply to a round with these labels is longer.
std::size_t LongestRoundReply(const LabelType& labels, std::size_t ticket);

}  // namespace sotto
