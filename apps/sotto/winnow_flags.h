#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "run_flags.h"
#include "sotto/models/winnow/dp_winnow.h"
#include "sotto/models/winnow/private_winnow.h"

namespace sotto::app {

// What a user says about winnow, beside what all models are told; `plan` and
// `run` share it. All of it is public, and a saved state keeps it.
struct WinnowFlags {
  double margin = 0;
  std::uint32_t features = 0;
  bool nonnegative = false;
  bool bias = false;
  double max_norm = 0;
  std::uint32_t max_nonzeros = 0;
  std::string aim = "practical";
  double failure = 0.05;
  std::optional<double> confidence;
  std::int64_t batch = 0;
  double learning_rate = 0;
  std::uint32_t published = 0;
  bool clip = false;
  std::string hypothesis;  // of `run`: the file to write it to
};

// Calls visit(name, field) for each that a state keeps, under the flag's own
// name.
template <typename Flags, typename Visit>
void ForEachWinnowFlag(Flags& flags, Visit visit) {
  visit("margin", flags.margin);
  visit("features", flags.features);
  visit("nonnegative", flags.nonnegative);
  visit("bias", flags.bias);
  visit("max-norm", flags.max_norm);
  visit("max-nonzeros", flags.max_nonzeros);
  visit("aim", flags.aim);
  visit("failure", flags.failure);
  visit("confidence", flags.confidence);
  visit("batch", flags.batch);
  visit("learning-rate", flags.learning_rate);
  visit("published", flags.published);
  visit("clip", flags.clip);
}

void AddWinnowFlags(CLI::App& command, WinnowFlags& flags);
void AddHypothesisFlag(CLI::App& command, WinnowFlags& flags);

// Fail with kInvalidArgument if a flag of the other model was given.
Status CheckForWinnow(const std::set<std::string>& given);
Status CheckForOthers(const std::set<std::string>& given,
                      const std::string& model);

// Checks what no other place checks. Fails with kInvalidArgument.
Status SettleWinnow(PopFlags& common, const WinnowFlags& flags,
                    const std::set<std::string>& given);

// With --calibration paper, DP-Winnow as published.
bool IsPaper(const PopFlags& common);
PrivateWinnow::Params WinnowParamsOf(const PopFlags& common,
                                     const WinnowFlags& flags,
                                     const ApproximateDp& share);
DpWinnow::Params PaperParamsOf(const PopFlags& common, const WinnowFlags& flags,
                               const ApproximateDp& share);

// As SettingsOf and AdoptSettings.
nlohmann::ordered_json WinnowSettingsOf(const RunFlags& run,
                                        const WinnowFlags& flags);
Status AdoptWinnowSettings(const nlohmann::ordered_json& saved, RunFlags& run,
                           WinnowFlags& flags);

}  // namespace sotto::app
