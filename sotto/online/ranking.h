#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What one of several models would make of the same public facts.
struct NamedPlan {
  std::string model;
  // An error where the model cannot be had, or was not told enough.
  Result<Plan> plan;
};

// The share of rounds that are expected to be wrong or, where nobody said how
// often the best rule is (--noise), what learning adds to that. Nothing if
// nothing is expected.
std::optional<double> ExpectedShare(const Plan& plan);

// The most promising first. What is hopeless comes last but for what cannot be
// had at all; what presumes more of the stream comes behind what presumes
// less; then the expected share decides, then the rows that are needed. Equals
// stay in their order.
void Rank(std::vector<NamedPlan>& plans);

// Why a plan stands where it does, in a sentence.
std::string RankingReason(const NamedPlan& named);

}  // namespace sotto
