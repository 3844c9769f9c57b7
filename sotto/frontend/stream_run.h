#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_keeper.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/run_failure.h"
#include "sotto/online/session.h"
#include "sotto/report/run_report.h"

namespace sotto {

// Plays a stream of rows on a session: reads, plays as many at a time as the
// model likes, writes a line for every round, saves when it is due.
//
//   StreamRun run(session, parts, stop);
//   Status status = run.Run(reader);   // before it waits: run.Pause()
//
// Rows that were read are answered, also when the input fails or pauses. The
// reader must skip bad rows (ExampleReader::Params::skip_bad): each is an empty
// round. All parts must outlive it.
//
// Threads: not thread-safe.
class StreamRun {
 public:
  struct Parts {
    LineWriter* predictions = nullptr;  // may be absent
    // Gives out the predictions that are ready.
    std::function<Status()> release = [] { return Ok(); };
    bool probabilities = false;
    HeldState* state = nullptr;    // where it is saved; null: nowhere
    std::uint64_t save_every = 0;  // rounds; 0: by the clock
    std::function<void(const Round&)> each{};  // after every round
    bool sample_votes = false;
  };
  // `stop` is set by an interrupt.
  StreamRun(Session& session, Parts parts,
            const volatile std::sig_atomic_t* stop);

  // To the end of the stream, an interrupt, the model's halt or a failure.
  // What was played before is played: predictions are released, and the state,
  // if there is one, is the one after the last round.
  std::optional<RunFailure> Run(ExampleReader& reader);
  // Answers all that was read: the input is about to wait. `waits` as in
  // StateKeeper::Pause. Fails as Run does.
  Status Pause(const std::function<bool(int)>& waits);

  const std::vector<VoteSample>& votes() const { return votes_; }
  // Rounds of this run that the state on disk covers.
  std::uint64_t saved() const { return keeper_.saved(); }

 private:
  using Of = RunFailure::Of;

  bool Fail(Of of, const Error& error);
  void PlayAll(ExampleReader& reader);
  bool Read(ExampleReader& reader);
  bool PlayPending();
  // Notes a failure to save; one to release has been noted.
  bool Kept(const Status& status);
  Status Release();
  void SampleVotes(std::span<const Round> rounds);
  void Record(const Round& round);

  Session& session_;
  Parts parts_;
  StateKeeper keeper_;
  const volatile std::sig_atomic_t* stop_;
  std::vector<Round> pending_;
  std::size_t count_ = 0;
  std::optional<RunFailure> failure_;
  bool ended_ = false;
  std::vector<VoteSample> votes_;
  std::uint64_t next_sample_ = 0;
};

}  // namespace sotto
