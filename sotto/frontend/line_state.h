#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/files/state_file.h"
#include "sotto/frontend/held_states.h"
#include "sotto/random/key.h"

namespace sotto {

// The start of a run over lines: from scratch, or where a saved state ends.
struct LineStart {
  Settings settings;    // as said, and what the state keeps
  Key key;              // of the noise to come
  bool seeded = false;  // by --seed, now or when it started
  std::optional<std::string> mechanism = {};  // saved bytes, if resumed
  std::uint64_t lines = 0;                    // answered before
  HeldStates states = {};                     // --load and --save, locked
  std::optional<InUseMark> mark = {};  // of --load: it did not end properly
};

// Version of the states of lines.
inline constexpr std::uint32_t kLineStateVersion = 2;

// Reads --load; refuses what cannot be saved, and files that are named twice
// (`data`: one more input, or empty). Fails with kInvalidArgument, or
// kCorruption.
Result<LineStart> StartLines(const Settings& said, std::string_view kind,
                             const std::string& data = "");

// The state after `lines` lines: docs/formats/state.md.
SavedState LineState(const LineStart& start, std::string_view kind,
                     const Key& key, std::uint64_t lines,
                     const std::string& mechanism);

// The end of a JSON line: says so if the noise is not secret.
inline std::string_view JsonEnd(const LineStart& start) {
  return start.seeded ? ",\"private\":false}" : "}";
}

}  // namespace sotto
