#include "sotto/models/winnow/list_halfspace.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kMaxWeights = 0x1p50;

double Sign(bool output) { return output ? 1 : -1; }

}  // namespace

bool EvaluateList(std::span<const LiteralRule> rules, bool otherwise,
                  FeatureView x) {
  for (const LiteralRule& rule : rules) {
    if (ValueAt(x, rule.feature) > 0) return rule.output;
  }
  return otherwise;
}

int Alternations(std::span<const LiteralRule> rules, bool otherwise) {
  int changes = 0;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool next = i + 1 < rules.size() ? rules[i + 1].output : otherwise;
    changes += rules[i].output != next ? 1 : 0;
  }
  return changes;
}

// From the last line up (decision_list.md, steps 1 to 3): a rule outweighs, by
// one, all opposite lines below its block. `against[s]` is what lines with
// output s add up to so far, in integers.
Result<ListHalfspace> HalfspaceOfList(std::span<const LiteralRule> rules,
                                      bool otherwise) {
  std::set<std::uint32_t> seen;
  double total[2] = {0, 0};
  total[otherwise ? 1 : 0] = 1;
  ListHalfspace result;
  for (std::size_t i = rules.size(); i-- > 0;) {
    const LiteralRule& rule = rules[i];
    if (!seen.insert(rule.feature).second) {
      return InvalidArgument("a feature occurs in two rules of the list");
    }
    // At the end of the list rules that say what the last line says are idle.
    const bool idle = total[rule.output ? 0 : 1] == 0;
    const double weight = idle ? 0 : 1 + total[rule.output ? 0 : 1];
    total[rule.output ? 1 : 0] += weight;
    if (total[0] + total[1] > kMaxWeights) {
      return NotConverged(
          "the list alternates too often for a margin of 2^-50");
    }
    if (!idle) {
      result.weights.push_back({rule.feature, Sign(rule.output) * weight});
    }
  }
  const double norm = total[0] + total[1];
  for (Feature& f : result.weights) f.value /= norm;
  std::ranges::sort(result.weights, {}, &Feature::index);
  result.bias = Sign(otherwise) / norm;
  result.margin = 1 / norm;
  return result;
}

double ListMargin(std::uint32_t rules, std::uint32_t alternations) {
  const double changes = std::min(rules, alternations);
  if (changes == 0) return 1;
  const double norm = 2 * std::pow(1 + rules / changes, changes);
  return StepDown(1 / InflateUp(norm, 1e-12));
}

FeatureVector Literals(FeatureView x, std::uint32_t features) {
  FeatureVector literals;
  literals.reserve(features);
  std::size_t at = 0;
  for (std::uint32_t j = 0; j < features; ++j) {
    while (at < x.size() && x[at].index < j) ++at;
    const bool is_true = at < x.size() && x[at].index == j && x[at].value > 0;
    literals.push_back({2 * j + (is_true ? 0U : 1U), 1.0});
  }
  return literals;
}

FeatureVector PointEmbedding(std::uint32_t x, std::uint32_t n) {
  FeatureVector embedded;
  embedded.reserve(n);
  for (std::uint32_t j = 0; j < n; ++j) {
    embedded.push_back({j, j == x ? 1.0 : -1.0});
  }
  return embedded;
}

}  // namespace sotto
