#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/papers/dp_online_learner.h"

namespace sotto {

// Parameters of both learners, all public: for reports and for people.
Json LittlestoneParameters(const FiniteClassLearner::Params& params);
Json LittlestoneParameters(const DpOnlineLearner::Params& params);
std::string LittlestoneInWords(const FiniteClassLearner::Params& params);
std::string LittlestoneInWords(const DpOnlineLearner::Params& params);
// One line of a plan: teachers, noise, mistakes, and whether they can agree.
std::string DpOnlineNumbersInWords(const DpOnlineLearner::Params& params);
// The number of votes, and the adversary that it is meant for.
std::string VotesInWords(const FiniteClassLearner::Params& params);
std::string VotesInWords(const DpOnlineLearner::Params& params);

}  // namespace sotto
