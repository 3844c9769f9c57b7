#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/session/session.h"

namespace sotto {

// Puts a session on disk: before its first answer, after every so many rounds,
// and at the end.
//
//   StateSaver saver("run.state", 10'000);
//   if (Status saved = saver.Save(session); !saved) return saved;
//   std::uint64_t rounds = saver.Room(session.rounds());  // until it is due
//
// Whatever was computed from rounds that a state knows must be written before
// the state is (docs/formats/state.md): the caller flushes first.
//
// Threads: not thread-safe.
class StateSaver {
 public:
  // An empty path: nothing is saved. `every` 0: only when Save is called.
  StateSaver(std::string path, std::uint64_t every)
      : path_(std::move(path)), every_(every) {}

  bool on() const { return !path_.empty(); }
  // How many rounds may be played before the next state is due.
  std::uint64_t Room(std::uint64_t rounds) const {
    if (!on() || every_ == 0) return std::numeric_limits<std::uint64_t>::max();
    return every_ - rounds % every_;
  }
  bool Due(std::uint64_t rounds) const {
    return on() && every_ > 0 && rounds % every_ == 0;
  }
  // Fails as the model and the file system do; the file is then what it was,
  // or the error says that it is not.
  Status Save(Session& session) const;

  static constexpr std::string_view kKind = "session";
  static constexpr std::uint32_t kVersion = 1;

 private:
  std::string path_;
  std::uint64_t every_;
};

}  // namespace sotto
