#pragma once

#include "sotto/learners/learner_entry.h"

namespace sotto {

// The keys that learners share.
extern const LearnerKey kRangeKey;
extern const LearnerKey kFeaturesKey;
extern const LearnerKey kClassKey;
extern const LearnerKey kRateKey;
extern const LearnerKey kMarginKey;
extern const LearnerKey kConfidenceKey;
extern const LearnerKey kNegationsKey;
extern const LearnerKey kNonnegativeKey;

}  // namespace sotto
