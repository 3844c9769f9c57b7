#pragma once

#include <string>
#include <string_view>

#include "sotto/audit/audit.h"
#include "sotto/base/json.h"

namespace sotto {

// What an audit found, for people and for programs.
//
// Threads: pure functions.

// "consistent", "violation", or "broken": something could not be played.
std::string_view ChooseVerdict(const AuditResult& result);
// The same for people, who are told apart what is "undecided": a bound above
// the claim that is not as certain as a violation has to be.
std::string_view VerdictWord(const AuditResult& result);
std::string_view VerdictWord(const DuelResult& duel);
// What may be concluded from an audit that could be played.
std::string Conclusion(const AuditResult& result);

// The worst duel under the keys that stay, and all of them under "duels".
Json AuditJson(const AuditResult& result);

// A few lines and a table.
std::string AuditText(const AuditResult& result);

// The event in words: "the last answer is at least 3".
std::string EventText(const DuelResult& duel, const AuditEvent& event);

// One page with plots, for somebody who answers for privacy: the verdict, the
// trade-off curve beside the claim's, the privacy curve, the best event and
// transcripts of both worlds.
std::string AuditPage(const AuditResult& result);

}  // namespace sotto
