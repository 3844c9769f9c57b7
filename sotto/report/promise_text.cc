#include "sotto/report/promise_text.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

// Covers the error of exp.
constexpr double kExpError = 1e-14;
// Larger factors mean nothing to a reader.
constexpr double kLargestFactor = 1e6;

double Factor(double epsilon) {
  return InflateUp(std::exp(epsilon), kExpError);
}

// Two digits behind the point, rounded up.
std::string FactorText(double epsilon) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f",
                std::ceil(100 * Factor(epsilon)) / 100);
  return text.data();
}

std::string Subject(const Guarantee& guarantee) {
  switch (guarantee.relation()) {
    case Relation::kChangeByOne:
      return "One step of the count that differs by one";
    case Relation::kAddRemove:
      return "One user's data, present or missing,";
    case Relation::kReplace:
      break;
  }
  return "What one user brings";
}

}  // namespace

std::string PromiseSentence(const Guarantee& guarantee) {
  const std::string what = Subject(guarantee) +
                           " changes the probability of anything that others "
                           "see by a factor of ";
  if (!(Factor(guarantee.epsilon()) < kLargestFactor)) {
    return what + "e to the power of " + TextUp(guarantee.epsilon()) +
           ", which is no useful limit.";
  }
  std::string text = what + "at most " + FactorText(guarantee.epsilon());
  if (guarantee.delta() > 0) text += ", plus " + TextUp(guarantee.delta());
  if (guarantee.schedule()) text += " over all rounds";
  return text + ".";
}

std::string WorstSuspicion(double epsilon) {
  const double odds = Factor(epsilon);
  const double percent = std::ceil(100 * odds / (1 + odds));
  return percent < 100 ? "at most " + Shortest(percent) + "%"
                       : "no useful limit";
}

std::string RoundsPerUser(const Guarantee& guarantee) {
  const std::uint64_t rounds = guarantee.rounds_per_user();
  return std::to_string(rounds) + (rounds == 1 ? " round" : " rounds") +
         " per user";
}

std::string FromWhom(const Guarantee& guarantee) {
  const std::string sees =
      guarantee.notion() == Notion::kDp
          ? "anyone who sees what is published and all other users' predictions"
          : "anyone who sees all other users' predictions";
  return sees + ", and controls all other users, " +
         (guarantee.adversary() == Adversary::kAdaptive
              ? "adaptively"
              : "with data chosen in advance");
}

std::string PublicAboutRounds() {
  return "that a round took place, when, and under which name";
}

}  // namespace sotto
