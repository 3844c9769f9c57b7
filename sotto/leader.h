#pragma once

// Private fits over columns (thresholds, intervals, stumps, trees, lists,
// finite classes), and the leader, which makes an online model of any of them.

#include "sotto/fits/finite_fit.h"
#include "sotto/fits/fit_file.h"
#include "sotto/fits/interval_fit.h"
#include "sotto/fits/list_fit.h"
#include "sotto/fits/private_fit.h"
#include "sotto/fits/stump_fit.h"
#include "sotto/fits/tree_fit.h"
#include "sotto/models/leader/private_leader.h"
