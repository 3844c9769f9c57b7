#include "sotto/frontend/session_state.h"

#include <string>
#include <utility>

namespace sotto {

Result<SavedState> SaveState(Session& session) {
  ByteWriter payload;
  SOTTO_TRY(session.Save(payload));
  return SavedState{std::string(kSessionState), kSessionStateVersion,
                    std::move(payload).bytes()};
}

}  // namespace sotto
