#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/privacy_cost.h"
#include "sotto/base/result.h"

namespace sotto {

// The noise of a part, as its sampler was made: kLaplace, kGeometric and
// kSelection (the exponential mechanism) have scale 1 / rate and cost
// sensitivity / scale; kGaussian has its deviation as scale; kTable has
// neither, its distribution is a certified table.
enum class SamplerKind : std::uint8_t {
  kLaplace,
  kGeometric,
  kGaussian,
  kSelection,
  kTable
};
std::string_view ToString(SamplerKind kind);

struct SpentNoise {
  SamplerKind kind = SamplerKind::kLaplace;
  double scale = 0;
  // Largest difference between neighbours, in the units of `scale`. For
  // kSelection: of the difference of two scores.
  double sensitivity = 0;
  friend bool operator==(const SpentNoise&, const SpentNoise&) = default;
};

// The privacy cost of a mechanism as a tree of named parts.
//
//   Spend whole = AddParts("list", {MakePart("rules", {0.9, 1e-7}, noise),
//                                MakePart("counts", {0.1, 0})});
//   whole.steps = rows_per_user;
//   ApproximateDp user = Total(whole);
//
// A guarantee is made from a Spend (MakeGuarantee in guarantee.h): it states
// the total of the parts, not the request.
//
// Guarantee: Total is an upper bound on the cost of all parts, rounded up.
// Proof:     spend.md.
// Threads:   value types and pure functions.
struct Spend {
  // kAlone: `cost` is of this part. kSum: all parts, one after the other or
  // interleaved. kMax: a row takes part in one of the parts, which one does not
  // depend on its value. kJoint: an accountant composed the parts; `cost` is
  // its result, and the parts name their noise.
  enum class Rule : std::uint8_t { kAlone, kSum, kMax, kJoint };

  std::string name;
  Rule rule = Rule::kAlone;
  ApproximateDp cost = {};  // one step; kAlone and kJoint only
  // Steps of the group between neighbours: rounds or rows of one user.
  std::uint64_t steps = 1;
  std::optional<SpentNoise> noise = {};
  std::vector<Spend> parts = {};

  friend bool operator==(const Spend&, const Spend&) = default;
};

Spend MakePart(std::string name, const ApproximateDp& cost,
               std::optional<SpentNoise> noise = std::nullopt);
// A part with noise of this rate (scale 1 / rate), not kGaussian or kTable:
// epsilon is rate times sensitivity, rounded up only where it is not a double.
Spend PurePart(std::string name, SamplerKind kind, double rate,
               double sensitivity, double delta = 0);
// A part with Gaussian noise, of which `cost` is one point of the curve.
Spend GaussianPart(std::string name, const ApproximateDp& cost,
                   double deviation, double sensitivity);
Spend AddParts(std::string name, std::vector<Spend> parts);
Spend TakeLargest(std::string name, std::vector<Spend> parts);
Spend ComposeParts(std::string name, const ApproximateDp& cost,
                   std::vector<Spend> parts);
// The same for a group of this many steps.
Spend ForSteps(Spend spend, std::uint64_t steps);

// Cost of the whole tree, for all steps. Invalid costs give +infinity and 1.
ApproximateDp Total(const Spend& spend);

// Cost to state for a request. The requested numbers where the total is at most
// them and at least 99% of them; otherwise the total. Fails with
// kBudgetExhausted where the total exceeds the request. A requested delta of 0
// stands for "the smallest there is": the samplers' share is stated.
Result<ApproximateDp> StatedCost(const Spend& spend,
                                 const ApproximateDp& asked);

}  // namespace sotto
