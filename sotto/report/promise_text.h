#pragma once

#include <string>

#include "sotto/accounting/guarantee.h"

namespace sotto {

// Sentences on a guarantee for people who decide about it. Every number is
// rounded up. Threads: pure functions.

// "What one user brings changes the probability of anything that others see by
// a factor of at most 2.72, plus 1e-06."
std::string PromiseSentence(const Guarantee& guarantee);
// The largest belief that a suspicion of 50% can become, in percent: "at most
// 74%".
std::string WorstSuspicion(double epsilon);
// "1 round per user".
std::string RoundsPerUser(const Guarantee& guarantee);
// The adversary, as the text behind "From whom".
std::string FromWhom(const Guarantee& guarantee);
// Public about a round, whatever the model is.
std::string PublicAboutRounds();

}  // namespace sotto
