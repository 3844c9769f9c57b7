#pragma once

// A private Winnow, which publishes its hypothesis, and its plan.

#include "sotto/models/winnow/private_winnow.h"
#include "sotto/models/winnow/winnow_hypothesis.h"
#include "sotto/models/winnow/winnow_plan.h"
