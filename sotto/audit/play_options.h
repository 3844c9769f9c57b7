#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// How many games, how sure, which ones, on how many threads.
OptionTable PlayOptions(std::string_view runs = "100000");
AuditOptions MakePlayOptions(const Settings& settings);

// Options of one target, beside those: what it claims, who attacks it, --shard.
const OptionTable& GameOptions();
// Both. Fails with kInvalidArgument.
Result<AuditOptions> MakeGameOptions(const Settings& settings);
// Leaves what --adversary and --mechanism name; the adversary may be a program
// of the user's, which a shard cannot have. Fails with kInvalidArgument.
Status ChooseGames(const AuditChoice& choice, bool sharded,
                   AuditSubject& subject);

// "exec:./mine" is a program; nothing else begins so.
bool IsProgram(std::string_view name);
// The command after the colon.
std::string MakeCommand(std::string_view name);

// The targets of a list "pop,points"; all for an empty one. Fails with
// kInvalidArgument.
Result<std::vector<const AuditTarget*>> ChooseTargets(std::string_view list);
// All targets, their games and adversaries.
std::string TargetsText();
Json TargetsJson();

}  // namespace sotto
