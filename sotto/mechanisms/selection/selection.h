#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/permute_and_flip.h"
#include "sotto/random/rng.h"

namespace sotto {

// A private argmax: chooses a candidate with a score near the best, by the
// mechanism that loses least, and says which one and why.
//
//   auto choose = Selection::Create({.epsilon = 1, .candidates = 3});
//   if (!choose) return choose.error();
//   auto winner = choose->Select(scores, rng);
//   std::cerr << choose->reason();
//
// Guarantee: that of the mechanism chosen.
// Proof:     selection.md.
// Threads:   immutable; const calls may run at the same time.
class Selection {
 public:
  struct Params {
    double epsilon = 0;
    std::int64_t sensitivity = 1;
    std::size_t candidates = 0;
    bool monotone = false;
    // The exponential mechanism, although it loses more: a paper's lines.
    bool exponential = false;
    // Instead of epsilon, where many choices are composed: the cost of one.
    double zcdp = 0;
  };
  enum class Rule { kPermuteAndFlip, kExponential };

  // Fails where SelectionRate does, and unless exactly one of epsilon and zcdp
  // is given.
  static Result<Selection> Create(const Params& params);

  // As the mechanisms' Select.
  Result<std::size_t> Select(std::span<const std::int64_t> scores,
                             Rng& rng) const;
  std::int64_t LossBound(double failure) const;

  Rule rule() const {
    return mechanism_.index() == 0 ? Rule::kPermuteAndFlip : Rule::kExponential;
  }
  std::string_view reason() const;
  const Guarantee& guarantee() const;

 private:
  using Mechanism = std::variant<PermuteAndFlip, ExponentialMechanism>;
  explicit Selection(Mechanism mechanism) : mechanism_(std::move(mechanism)) {}

  Mechanism mechanism_;
};

}  // namespace sotto
