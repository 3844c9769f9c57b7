#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// How a model meets its data: rounds from the start, rounds after a training
// set, or a table at once.
enum class ModelKind : std::uint8_t { kOnline, kTrained, kBatch };
std::string_view ToString(ModelKind kind);

// The plan of one of several models for the same public facts.
struct NamedPlan {
  std::string model;
  // An error where the model is not applicable, or was not given enough.
  Result<Plan> plan;
  ModelKind kind = ModelKind::kOnline;
};

// The fraction of rounds that are expected to be wrong. If --label-noise does
// not say how often the best rule is wrong: the fraction that learning adds to
// that. Nothing if nothing is expected.
std::optional<double> ExpectedShare(const Plan& plan);

// "comfortable", "tight" or "hopeless"; "depends" if the forecast assumes a
// rule or a margin that was not stated; nothing if too few facts were given.
std::optional<std::string> VerdictName(const Plan& plan);
// "none", "rule" or "margin".
std::string_view ToString(ForecastAssumption assumption);

// Sorts the plans, the most promising first. Hopeless models come last, before
// those that are not available at all; models that assume more of the stream
// come behind those that assume less; then the expected fraction decides, then
// the rows that are needed. Equals stay in their order.
void Rank(std::vector<NamedPlan>& plans);

// Why a plan stands where it does, in a sentence.
std::string RankingReason(const NamedPlan& named);

}  // namespace sotto
