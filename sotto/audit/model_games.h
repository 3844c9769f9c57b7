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

// What games against models of the registry share.
//
// Threads: pure functions.

// The options of a row's own example, but so few rounds, copies and so on,
// wherever the table has such options, that one user matters.
Result<Settings> SmallSettings(const OptionTable& table,
                               std::string_view example,
                               const AuditRequest& request);

// The first numbers of what was published, in thousandths, and hashes of its
// words, in the order in which they are written. Of its guarantee and clock
// there is nothing to learn.
std::vector<std::int64_t> PublishedNumbers(const Json& published,
                                           std::size_t most);

}  // namespace sotto
