#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/files/state_file.h"
#include "sotto/online/session.h"

namespace sotto {

// The kind of a session's state file, and the version of its layout.
inline constexpr std::string_view kSessionState = "session";
inline constexpr std::uint32_t kSessionStateVersion = 2;

// The session as a state file holds it. Fails as the model does.
Result<SavedState> SaveState(Session& session);

}  // namespace sotto
