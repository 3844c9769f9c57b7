#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pop_flags.h"

namespace sotto::app {

// What `plan greedy-cover` asks beside epsilon, delta, relation, calibration
// and rounds per user, which all models share.
struct PlanCoverFlags {
  std::string schema;
  std::optional<std::uint64_t> rows;
  std::uint32_t rules = 40;
  std::uint32_t literals = 1;
  std::string reward = "1/5";
  double error = 0.02;
};

void AddPlanCoverFlags(CLI::App& command, PlanCoverFlags& flags);

// Prints the plan; the exit code.
int PlanGreedyCover(const PopFlags& common, const PlanCoverFlags& flags,
                    bool json);

}  // namespace sotto::app
