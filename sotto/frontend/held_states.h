#pragma once

#include <memory>
#include <string>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_file.h"

namespace sotto {

// The states that a run uses, locked as long as this lives: --load, and --save,
// which may be the same file. Null if not given.
struct HeldStates {
  std::shared_ptr<HeldState> loaded = {};
  std::shared_ptr<HeldState> saved = {};
};

// Locks them before anything is answered. Fails with kInvalidArgument: a state
// is in use by another process, or --save names a file that is not the state
// that was loaded, without --replace.
Result<HeldStates> HoldStates(const Settings& settings);

// The warning about a loaded state whose run did not end properly; empty if
// every answer that is out was saved first.
std::string UncleanEndWarning(const std::string& path, const InUseMark& mark);

}  // namespace sotto
