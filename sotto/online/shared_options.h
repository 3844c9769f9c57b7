#pragma once

#include "sotto/base/option.h"

namespace sotto {

// What every model is told about the guarantee: --epsilon, --delta, --relation,
// --rounds-per-user, --calibration.
const OptionTable& PrivacyOptions();

// What every online model is told beside that, public facts about its stream:
// --horizon, --label-delay, --label-rate, --noise; and --anyway.
const OptionTable& StreamOptions();

}  // namespace sotto
