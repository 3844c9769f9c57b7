#pragma once

#include "sotto/base/option.h"

namespace sotto {

// The options of every model about the guarantee: --epsilon, --delta,
// --relation, --rounds-per-user, --calibration.
const OptionTable& PrivacyOptions();

// The further options of every online model, public facts about its stream:
// --horizon, --label-delay, --label-rate, --label-noise; and --force.
const OptionTable& StreamOptions();

}  // namespace sotto
