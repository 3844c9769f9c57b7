#pragma once

// Private decision lists over tables, their plan, and the form they are
// published in.

#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/models/fits/greedy_cover/rule_shares.h"
