#pragma once

#include <cstdint>
#include <vector>

#include "sotto/models/pop/pop_model.h"
#include "sotto/models/pop/pop_noise.h"
#include "sotto/models/pop/pop_schedule.h"

namespace sotto {

// A schedule as the planner varies it: free of units, noise not yet chosen.
struct PopShape {
  struct Phase {
    double half = 8;  // half the copies, in noise scales
    double reports = 300;
    double band = 0.4;   // its width, in noise scales
    double share = 0.5;  // of the examples, to the active generation
    double solo = 0.2;   // of the phase, taught to the active one alone
    double rounds = 0;   // of the clock; ignored for the last phase
  };
  double stopper = 0;  // e_s
  std::vector<Phase> phases = {};
};

struct PopSearch {
  PopVariant variant = PopVariant::kBand;
  PhaseEnd handover = PhaseEnd::kStandby;
  std::int64_t mistakes = 0;  // agnostic mode
  bool pin_users = false;
  double epsilon = 0;  // of one round
  double delta = 0;
  // Give both generations half of the examples in every phase, so that a phase
  // may end at any time without the next one being cold.
  bool steady = false;
  PopBehaviour behaviour;
};

// The schedule of a shape, given the noise scale of each phase.
PopSchedule MakeSchedule(const PopShape& shape,
                         const std::vector<double>& scales,
                         const PopSearch& search);

// The shape with the fewest mistakes expected by `model` that a search of so
// many steps finds; `phases` phases. Deterministic.
struct PopSearchResult {
  PopShape shape = {};
  double cost = 0;
};
PopSearchResult SearchShape(const PopSearch& search, const PopModel& model,
                            PopNoise& noise, int phases, int steps);

}  // namespace sotto
