#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {

// Rules of the tests that add fresh noise to each query: how a noisy value is
// answered, and which answers are charged. A test derives its rule from one of
// these and adds its Params and the tag of its saved states.
//
// Proof:   multi_above_threshold.md (one threshold) and between_thresholds.md.
// Threads: pure functions.

// Above or below one threshold. Params has `threshold` and `charge`.
struct OneThreshold {
  using Answer = ThresholdAnswer;
  static constexpr std::string_view kSite = "threshold query";
  static Answer Halted() { return Answer::kHalted; }

  template <typename Params>
  static Status Check(const Params& params) {
    return CheckThresholdTest(params.epsilon, params.reports, params.threshold);
  }
  // Integers between the thresholds; `none` if there is no second one.
  template <typename Params>
  static std::int64_t Gap(const Params&, std::int64_t none) {
    return none;
  }
  template <typename Params>
  static Answer Decide(const Params& params, std::int64_t noisy) {
    return noisy >= params.threshold ? Answer::kAbove : Answer::kBelow;
  }
  template <typename Params>
  static bool IsCharged(const Params& params, Answer answer) {
    return (answer == Answer::kAbove) == (params.charge == Charge::kAbove);
  }
  // Parameters as saved states name them.
  template <typename Params>
  static std::array<std::int64_t, 1> Thresholds(const Params& params) {
    return {params.threshold};
  }
  template <typename Params>
  static std::array<std::uint8_t, 1> Kinds(const Params& params) {
    return {static_cast<std::uint8_t>(params.charge)};
  }
};

// Low, medium or high; medium is charged and releases the noisy value. Params
// has `low` and `high`.
struct TwoThresholds {
  enum class Zone { kLow, kMedium, kHigh, kHalted };
  struct Answer {
    Zone zone = Zone::kHalted;
    std::int64_t noisy = 0;  // kMedium only, else 0
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  static constexpr std::string_view kSite = "band query";
  static Answer Halted() { return {}; }
  static constexpr std::int64_t kMaxGap = std::int64_t{1} << 40;

  // Zone of a noisy value.
  static Zone FindZone(std::int64_t noisy, std::int64_t low,
                       std::int64_t high) {
    if (noisy <= low) return Zone::kLow;
    return noisy >= high ? Zone::kHigh : Zone::kMedium;
  }

  template <typename Params>
  static Status Check(const Params& params) {
    for (const std::int64_t threshold : Thresholds(params)) {
      SOTTO_TRY(CheckThresholdTest(params.epsilon, params.reports, threshold));
    }
    if (const auto gap = Gap(params, 0); gap < 1 || gap > kMaxGap) {
      return InvalidArgument(
          "between the thresholds there must be 1 to 2^40 integers");
    }
    return Ok();
  }
  template <typename Params>
  static std::int64_t Gap(const Params& params, std::int64_t) {
    return params.high - params.low - 1;
  }
  template <typename Params>
  static Answer Decide(const Params& params, std::int64_t noisy) {
    const Zone zone = FindZone(noisy, params.low, params.high);
    return {zone, zone == Zone::kMedium ? noisy : 0};
  }
  template <typename Params>
  static bool IsCharged(const Params&, const Answer& answer) {
    return answer.zone == Zone::kMedium;
  }
  template <typename Params>
  static std::array<std::int64_t, 2> Thresholds(const Params& params) {
    return {params.low, params.high};
  }
  template <typename Params>
  static std::array<std::uint8_t, 0> Kinds(const Params&) {
    return {};
  }
};

// Parameters in a saved state, and whether the next ones there are these.
template <typename Number, std::size_t kCount>
void SaveNumbers(const std::array<Number, kCount>& numbers,
                 ByteWriter& writer) {
  for (const Number number : numbers) writer.Number(number);
}
template <typename Number, std::size_t kCount>
bool NextNumbersAre(const std::array<Number, kCount>& numbers,
                    ByteReader& reader) {
  for (const Number number : numbers) {
    if (reader.Number<Number>() != number) return false;
  }
  return true;
}

}  // namespace sotto
