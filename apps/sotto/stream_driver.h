#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "progress_table.h"
#include "run_tally.h"
#include "sotto/base/result.h"
#include "sotto/session/comparison.h"
#include "sotto/session/public_mistakes.h"
#include "sotto/streams/example_reader.h"
#include "sotto/streams/line_io.h"
#include "stream_model.h"

namespace sotto::app {

// How a round was voted on, for the plot of the spread of the votes.
struct VoteSample {
  std::uint64_t round = 0;
  double share = 0;  // of the copies that say 1
};

// Drives a model over a stream, whatever the model: reads rows, plays them as
// many at a time as the model likes, writes predictions, counts, prints the
// table.
//
//   StreamDriver driver(parts, stop);
//   Status status = driver.Run(reader);   // before it waits: driver.Pause()
//
// Rows that were read are answered, also when the next one is bad or the input
// pauses. All parts must outlive the driver.
//
// Threads: not thread-safe.
class StreamDriver {
 public:
  struct Parts {
    StreamModel* model = nullptr;
    RunTally* tally = nullptr;
    ProgressTable* table = nullptr;
    ProgressLine* line = nullptr;
    LineWriter* predictions = nullptr;          // may be absent
    PublicMistakes* public_mistakes = nullptr;  // may be absent
    Comparison* comparison = nullptr;           // may be absent
    bool sample_votes = false;
  };

  // `stop` is set by an interrupt.
  StreamDriver(const Parts& parts, const volatile std::sig_atomic_t* stop);

  // Answers all that was read: the input is about to pause.
  Status Pause();

  // To the end of the stream, an interrupt, the model's halt or an error, which
  // names the place. kInvalidArgument for a bad row and for a model that
  // failed, which for a learner of the user's can depend on data.
  Status Run(ExampleReader& reader);

  const std::vector<VoteSample>& votes() const { return votes_; }

 private:
  Status PlayPending();
  // Rows that were skipped since the last row tick, in their place.
  Status PlaySkipped(std::uint64_t skipped);
  void SampleVotes(std::size_t size);
  void Record(const Example& example, const RoundOutcome& outcome);
  Status Predict(const RoundOutcome& outcome);

  Parts parts_;
  const volatile std::sig_atomic_t* stop_;
  std::vector<Example> pending_;
  std::size_t count_ = 0;
  std::uint64_t skipped_ = 0;  // of these, have ticked
  std::vector<RoundOutcome> outcomes_;
  std::optional<Error> failure_;  // of the model or of an output
  std::vector<VoteSample> votes_;
  std::uint64_t next_sample_ = 0;
};

}  // namespace sotto::app
