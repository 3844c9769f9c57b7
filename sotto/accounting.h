#pragma once

// What mechanisms cost, before any data is touched: guarantees, their
// composition, groups, filters and odometers, and the least noise for a target.

#include "sotto/accounting/account.h"
#include "sotto/accounting/composition.h"
#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/privacy_filter.h"
#include "sotto/accounting/privacy_odometer.h"
