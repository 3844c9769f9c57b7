#pragma once

#include "sotto/base/result.h"
#include "sotto/fits/fit_columns.h"
#include "sotto/model/model_row.h"
#include "sotto/models/littlestone/finite_class_learner.h"

namespace sotto {

// --class, which both models need.
Option ClassOption();

const OptionTable& LittlestoneOptions();

// What settings say, for the model's part of the budget.
Result<FiniteClassLearner::Params> LittlestoneParams(
    const Settings& settings, const ApproximateDp& share);

// The column of points.
Result<FitColumns> LittlestoneColumns(const FiniteClass& functions,
                                      const Inputs& inputs);

}  // namespace sotto
