#pragma once

#include <string>

#include "sotto/audit/audit.h"
#include "sotto/audit/play_options.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto::app {

// Common parts of all audits by games.

// As text or JSON, and as a page.
const OptionTable& OutputOptions();

// 1 for a violation and for a game that could not be played, 3 if it is
// inconclusive, 0 if it is consistent.
int VerdictCode(const AuditResult& result);

// Plays with a bar for a terminal and reports the result. A page that could not
// be written is refused before the first game. Returns VerdictCode.
int RunAudit(const AuditSubject& subject, AuditOptions options,
             const Settings& settings);
// Only plays.
AuditResult PlayWithProgress(const AuditSubject& subject, AuditOptions options,
                             const Settings& settings);
int Tell(const AuditResult& result, const Settings& settings);

}  // namespace sotto::app
