#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// Decision lists as halfspaces, so that Winnow learns them online: "if feature
// 3 then yes, else if feature 7 then no, ..., else no".
//
//   const std::vector<LiteralRule> rules = {{3, true}, {7, false}};
//   auto halfspace = HalfspaceOfList(rules, /*otherwise=*/false);
//   if (!halfspace) return halfspace.error();
//   Use(halfspace->margin);    // 1/3: weight 2/3 on feature 3, bias -1/3
//
// Features are 0 or 1 and may mean anything (F-decision lists): literals,
// conjunctions, membership in a category.
//
// Paper:     [Winnow] Lemma 15, Theorems 16 and 17, with constants.
// Guarantee: the halfspace agrees with the list on all inputs, and its margin
//            is above 1 / (2 (1 + r/D)^D) for r rules and D alternations.
// Proof:     list_halfspace.md.
// Threads:   pure functions.
struct LiteralRule {
  std::uint32_t feature = 0;
  bool output = false;
};

bool EvaluateList(std::span<const LiteralRule> rules, bool otherwise,
                  FeatureView x);

// How often the output changes on the way down, the last line included.
int Alternations(std::span<const LiteralRule> rules, bool otherwise);

struct ListHalfspace {
  FeatureVector weights;  // |weights|_1 + |bias| = 1
  double bias = 0;
  double margin = 0;  // no input is nearer
};
// Fails with kInvalidArgument if a feature occurs twice (the second rule can
// never fire), with kNotConverged if the margin is below 2^-50.
Result<ListHalfspace> HalfspaceOfList(std::span<const LiteralRule> rules,
                                      bool otherwise);

// Margin of every list of this many rules and alternations, to be given to
// Winnow, with signs and bias. Rounded down. PrivateWinnow refuses margins
// below 2^-10, DpWinnow below 2^-8: such lists are out of their reach.
double ListMargin(std::uint32_t rules, std::uint32_t alternations);

// The literals of Boolean inputs (a value above 0 is true, features not listed
// are false): of 2d features, 2j says that j is true and 2j + 1 that it is
// false. Exactly d are 1, so |x| = sqrt(d).
FeatureVector Literals(FeatureView x, std::uint32_t features);

// Points as halfspaces with margin 1: p_t(x) = [x = t] on {0, ..., n - 1} is
// the sign of coordinate t of PointEmbedding(x, n), which is 1 at x and -1
// elsewhere. A private learner of halfspaces is one of points. For learners
// that publish their hypotheses, at epsilon 1/2 and delta 1/(20 ln T), that is
// known to cost Omega(ln T) mistakes.
FeatureVector PointEmbedding(std::uint32_t x, std::uint32_t n);

}  // namespace sotto
