#include "sotto/audit/program/fact_pairs.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

namespace sotto {
namespace {

using Join = std::function<FactValue(const FactValue&, const FactValue&)>;

FactColumn Joined(const FactColumn& a, const FactColumn& b, const char* word,
                  const Join& join) {
  FactColumn pair{.place = a.place + word + b.place, .here = {}, .there = {}};
  std::ranges::transform(a.here, b.here, std::back_inserter(pair.here), join);
  std::ranges::transform(a.there, b.there, std::back_inserter(pair.there),
                         join);
  return pair;
}

// A number without a text, so that no digit of it is read twice.
Join Sum(double sign) {
  return [sign](const FactValue& a, const FactValue& b) {
    FactValue value;
    if (a.number && b.number) value.number = *a.number + sign * *b.number;
    return value;
  };
}

FactValue Texts(const FactValue& a, const FactValue& b) {
  return {.text = a.text + " " + b.text};
}

}  // namespace

std::vector<FactColumn> MakePairs(std::span<const FactColumn* const> facts) {
  std::vector<FactColumn> pairs;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const FactColumn& a = *facts[i];
      const FactColumn& b = *facts[j];
      if (a.here.front().number && b.here.front().number) {
        pairs.push_back(Joined(a, b, " minus ", Sum(-1)));
        pairs.push_back(Joined(a, b, " plus ", Sum(1)));
      } else {
        pairs.push_back(Joined(a, b, " with ", Texts));
      }
    }
  }
  return pairs;
}

}  // namespace sotto
