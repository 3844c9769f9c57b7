#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/models/pop/pop_schedule.h"

namespace sotto {

// Expected behaviour of a stream, for planning only.
struct PopBehaviour {
  std::uint64_t rounds = 0;  // T
  // How many examples a copy needs for what a threshold learns from one.
  double complexity = 1;
  std::uint64_t drift = 0;        // rounds between moves of the target
  std::uint64_t label_delay = 0;  // rounds until a label comes
  double label_rate = 1;          // the share of rounds whose label comes
  double noise = 0;               // the share of labels that no rule explains

  friend bool operator==(const PopBehaviour&, const PopBehaviour&) = default;
};

struct PopPhaseExpectation {
  double begins = 0;  // round
  double mistakes = 0;
  double paid = 0;
};

struct PopExpectation {
  double mistakes = 0;
  double paid = 0;
  double standby_examples = 0;  // known to the waiting generation at the end
  std::vector<PopPhaseExpectation> phases;
};

// The mistakes of the procedure on a stream, in expectation, by a mean-field
// model of thresholds in noise: copies are many, so their votes are k times
// what a random copy would say. A run of any length takes microseconds, so that
// a planner can try thousands.
//
//   PopModel model(PopVariant::kBand);
//   auto expected = model.Expect(schedule, {.rounds = 1'000'000});
//
// Proof:   none needed for privacy; pop_plan.md derives the model and compares
//          it with runs.
// Threads: immutable; const calls may run at the same time.
class PopModel {
 public:
  // `noise`: fraction of labels that are wrong.
  explicit PopModel(PopVariant variant, double noise = 0);

  // Wrong answers in all rounds, with a label or without. Requires a valid
  // schedule of the variant, and behaviour.noise to be the model's.
  // Stops early, with fewer phases, once `enough` mistakes are expected: a
  // search has seen enough.
  PopExpectation Expect(
      const PopSchedule& schedule, const PopBehaviour& behaviour,
      double enough = std::numeric_limits<double>::infinity()) const;

 private:
  class Run;

  // Probabilities per round, for `examples` a copy and half the copies worth
  // `half` noise scales.
  struct Rates {
    double mistake = 0;
    double paid = 0;  // band: per noise scale of band width
  };
  Rates Compute(double examples, double half) const;
  Rates At(double examples, double half) const;

  double ExpectedVotes(double examples, double below, double distance) const;

  PopVariant variant_;
  // Examples a copy has received since the last wrong label, if all could be
  // that old. Empty if no label is wrong.
  std::vector<double> ages_;
  std::vector<Rates> table_;
};

}  // namespace sotto
