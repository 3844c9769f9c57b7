#pragma once

// Private fits over columns (thresholds, intervals, stumps, trees, lists,
// finite classes), and the leader, which turns any of them into an online
// model.

#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/interval_fit.h"
#include "sotto/models/fits/list_fit.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/fits/tree_fit.h"
#include "sotto/models/leader/private_leader.h"
