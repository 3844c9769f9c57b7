#pragma once

#include <string>
#include <string_view>

#include "sotto/audit/audit.h"
#include "sotto/base/json.h"

namespace sotto {

// Reports of an audit: text, JSON and a page.
//
// Threads: pure functions.

// "consistent", "violation", "inconclusive": too few games to know, or
// "broken": something could not be played.
std::string_view ChooseVerdict(const AuditResult& result);
// The same for one of its cases.
std::string_view CaseVerdict(const AuditResult& result,
                             const CaseResult& audit_case);
// The conclusion of an audit that could be played.
std::string Conclusion(const AuditResult& result);

// The worst case under stable keys, and all cases under "duels".
Json AuditJson(const AuditResult& result);

// A few lines and a table.
std::string AuditText(const AuditResult& result);

// Text of the event: "the last answer is at least 3".
std::string EventText(const CaseResult& audit_case, const AuditEvent& event);

// One page with plots, for a privacy officer: the verdict, the trade-off curve
// beside the claim's, the privacy curve, the best event and transcripts of both
// worlds.
std::string AuditPage(const AuditResult& result);

}  // namespace sotto
