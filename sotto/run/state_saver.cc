#include "sotto/run/state_saver.h"

#include "sotto/state/state_file.h"

namespace sotto {

Status StateSaver::Save(Session& session) const {
  if (!on()) return Ok();
  ByteWriter payload;
  if (Status saved = session.Save(payload); !saved) return saved;
  return WriteStateFile(
      path_, {std::string(kKind), kVersion, std::move(payload).bytes()});
}

}  // namespace sotto
