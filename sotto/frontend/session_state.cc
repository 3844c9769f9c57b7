#include "sotto/frontend/session_state.h"

#include <string>
#include <utility>

namespace sotto {

Result<SavedState> SaveState(Session& session) {
  ByteWriter payload;
  if (Status saved = session.Save(payload); !saved) return saved.error();
  return SavedState{std::string(kSessionState), kSessionStateVersion,
                    std::move(payload).bytes()};
}

}  // namespace sotto
