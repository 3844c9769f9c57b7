#pragma once

#include <string>

#include "sotto/accounting/account.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// The cost of a composition of mechanisms, from options: for the command
// `account` and for every other caller.
//
//   Settings settings(AccountOptions());
//   auto answer = AskAccount(settings);
//   Print(AccountSentence(settings, *answer));
//
// Threads: pure functions.
const OptionTable& AccountOptions();

// Fails with kInvalidArgument for options that do not go together, and as
// account.h does.
Result<AccountAnswer> AskAccount(const Settings& settings);

// The question and its answer.
Json AccountJson(const Settings& settings, const AccountAnswer& answer);
// "laplace, noise scale 2: (0.5, 0)-differential privacy against ...".
std::string AccountSentence(const Settings& settings,
                            const AccountAnswer& answer);

}  // namespace sotto
