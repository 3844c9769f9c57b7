#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// Shared parts of games against models of the registry.
//
// Threads: pure functions.

// The options of an entry's example, with rounds, copies and similar options
// made so small that one user matters.
Result<Settings> SmallSettings(const OptionTable& table,
                               std::string_view example,
                               const AuditRequest& request);

// The first numbers of the publication, in thousandths, and hashes of its
// texts, in written order. Skips its guarantee and clock.
std::vector<std::int64_t> PublishedNumbers(const Json& published,
                                           std::size_t most);

}  // namespace sotto
