#pragma once

#include "sotto/models/fits/fit_hypothesis.h"

namespace sotto {

// The same function of the columns, without the questions of a tree whose
// answer those above it have settled, and without those whose two ways lead to
// one label. What a fit released says all that this says: it is for people.
// Lists, whose questions share their ways, stay as they are.
FitHypothesis Simplified(const FitHypothesis& hypothesis);

}  // namespace sotto
