#pragma once

#include <optional>
#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/random/key.h"

namespace sotto {

// The dashboard's history on disk: DIR/history, sealed, since it holds exact
// mistakes.
//
//   Status kept = WriteHistory(dir, key, json);
//   auto json = ReadHistory(dir, key);
//
// Threads: one call at a time for a folder.

// Replaces the file in one step, mode 0600. Not synced: nothing depends on it.
Status WriteHistory(const std::string& folder, const Key& key,
                    const Json& history);
// Absent: there is none, or none that this key opens. A history.json, which
// earlier versions wrote in the clear, is read and deleted.
std::optional<Json> ReadHistory(const std::string& folder, const Key& key);

}  // namespace sotto
