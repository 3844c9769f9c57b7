#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/models/papers/littlestone_erm.h"

namespace sotto {

// Options of a LittlestoneErm; the rest is chosen.
struct ErmOptions {
  std::shared_ptr<const FiniteClass> functions = nullptr;
  FitBudget budget = {};
  // The constants of the paper's proof instead, for an error of `error`.
  bool paper = false;
  double error = 0.1;
  bool proper = false;
  // Absent: exact where that can be had, else greedy.
  std::optional<TeacherLists::Form> form = {};
  std::optional<std::uint64_t> teachers = {};
  std::optional<std::uint64_t> p = {};
  std::optional<std::uint64_t> stages = {};
  std::optional<double> tolerance = {};
  std::optional<std::uint64_t> list_size = {};
};

// Parameters that keep to the budget. Whatever was not wished is chosen so that
// tables of which a function of the class is right need few rows. Fails with
// kInvalidArgument or kBudgetExhausted where there are none.
Result<LittlestoneErm::Params> ChooseErm(const ErmOptions& options);

}  // namespace sotto
