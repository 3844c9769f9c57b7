#pragma once

// Building blocks for your own private systems. Each takes its parameters in
// Create, states its guarantee() before any data, and draws noise from the Rng
// of every call.

#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/mirrors/mirror.h"
#include "sotto/mechanisms/ranges/range_histogram.h"
#include "sotto/mechanisms/ranges/range_quantiles.h"
#include "sotto/mechanisms/ranges/range_total.h"
#include "sotto/mechanisms/ranges/running_histogram.h"
#include "sotto/mechanisms/ranges/running_total.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/selection/sparse_sample.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
