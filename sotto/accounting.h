#pragma once

// The privacy cost of mechanisms, computed before any data: guarantees, their
// composition, groups, filters and odometers, and the least noise for a target.

#include "sotto/accounting/account.h"
#include "sotto/accounting/budget_filter.h"
#include "sotto/accounting/composition.h"
#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/privacy_filter.h"
#include "sotto/accounting/privacy_odometer.h"
