#pragma once

#include <cstdint>

#include "sotto/base/bytes.h"

namespace sotto {

// How many places of the groups of the clock `slots` were taken: the
// operator's own view, and a function of the records.
//
//   tally.AddLabel(taken); ... tally.AddRound(taken, places); ...
//
// Threads: a value type.
class SlotTally {
 public:
  void AddLabel(bool taken) { labels_ += taken ? 1U : 0U; }
  // The round of the last place ends the group.
  void AddRound(bool taken, std::uint64_t places) {
    rounds_ += taken ? 1U : 0U;
    if (++played_ < places) return;
    full_ += rounds_ == places || labels_ == places ? 1U : 0U;
    taken_ += rounds_;
    last_ = rounds_;
    ++groups_;
    rounds_ = labels_ = played_ = 0;
  }

  std::uint64_t groups() const { return groups_; }
  std::uint64_t full() const { return full_; }    // groups without a place left
  std::uint64_t taken() const { return taken_; }  // places, of all groups
  std::uint64_t last() const { return last_; }    // of the last one

  // Between two groups.
  void Save(ByteWriter& writer) const {
    for (const std::uint64_t n : {groups_, full_, taken_, last_}) {
      writer.Number(n);
    }
  }
  // The caller asks the reader whether it failed.
  void Load(ByteReader& reader) {
    for (std::uint64_t* n : {&groups_, &full_, &taken_, &last_}) {
      *n = reader.Number<std::uint64_t>();
    }
  }

 private:
  std::uint64_t groups_ = 0;
  std::uint64_t full_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t rounds_ = 0;  // of the group that is played
  std::uint64_t labels_ = 0;
  std::uint64_t played_ = 0;
};

}  // namespace sotto
