#pragma once

#include <string>

#include "sotto/base/label.h"
#include "sotto/base/round.h"

namespace sotto {

// The answer to a user, as a line of a predictions file: 0 or 1, a class by its
// name, or a number; empty where no one was answered. With `probabilities`, a
// space and the probability follow, where the model has one.
std::string AnswerText(const Round& round, const LabelType& type,
                       bool probabilities);

}  // namespace sotto
