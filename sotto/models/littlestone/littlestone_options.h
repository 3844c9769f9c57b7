#pragma once

#include <optional>

#include "sotto/base/result.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of both littlestone and littlestone-erm; the last four are manual
// overrides of the paper's learners.
Option ClassOption();
Option TeachersOption();
Option POption();
Option StagesOption();
Option ListsOption();
std::optional<TeacherLists::Form> ListsForm(const Settings& settings);

const OptionTable& LittlestoneOptions();

// --calibration paper: DP-OL is run.
bool IsPaper(const Settings& settings);
// --constants printed.
bool IsPrinted(const Settings& settings);

// Parameters by the settings, for the model's part of the budget.
Result<FiniteClassLearner::Params> LittlestoneParams(
    const Settings& settings, const ApproximateDp& share);

// By the settings; the second with printed or least numbers, as `printed` says.
Result<DpOnlineLearner::Params> DpOnlineParams(const Settings& settings,
                                               const ApproximateDp& share);
Result<DpOnlineLearner::Params> DpOnlineParams(const Settings& settings,
                                               const ApproximateDp& share,
                                               bool printed);

// The column of points.
Result<FitColumns> LittlestoneColumns(const FiniteClass& functions,
                                      const InputSpec& inputs);

}  // namespace sotto
