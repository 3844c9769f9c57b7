#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_rules.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// ChallengeBT as printed: BetweenThresholds that never halts by itself, and a
// Stopper of its "medium" answers that is asked separately.
//
//   auto test = AskedBetweenThresholds::Create(
//       {.epsilon = 1, .delta = 1e-6, .low = 4000, .high = 6000,
//        .reports = 500});
//   if (!test) return test.error();
//   for (;;) {                                       // a public clock
//     if (test->Ask(rng)) return Restart();          // everybody sees it
//     if (user) Use(test->Test(votes, rng));         // this user sees it
//   }
//
// Paper:     [PERP] Algorithm 4 (Theorem 4.4), with Algorithms 2 and 3.
// Guarantee: (epsilon, delta) for a record of the data that are asked about,
//            and for a query whose answer only its user sees, each by itself.
// Proof:     asked_between_thresholds.md, next to this file.
// Threads:   not thread-safe.
class AskedBetweenThresholds {
 public:
  using Zone = TwoThresholds::Zone;

  // kLaplace: Algorithm 2. kOneSided: the Stopper of stopper.md.
  enum class StopperKind : std::uint8_t { kLaplace, kOneSided };

  struct Noise {
    double rate = 0;          // e0 of the tests
    double stopper_rate = 0;  // e_s
    // Mediums beyond `reports` that the proof allows for. Any number is sound;
    // a good one makes the stated delta small.
    std::int64_t late = 0;
    friend bool operator==(const Noise&, const Noise&) = default;
  };
  struct Params {
    double epsilon = 0;
    double delta = 0;
    // With n the noisy value: low if n <= low, high if n >= high, else medium.
    // In the paper's words t_l = low + 1, t_h = high - 1.
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t reports = 1;  // k, the Stopper's threshold
    StopperKind stopper = StopperKind::kLaplace;
    // The paper's noise, for at most `horizon` stopping queries (T); kLaplace
    // only. Otherwise the least noise.
    bool printed = false;
    std::uint64_t horizon = 1'000'000;
  };

  // Fails with kInvalidArgument on parameters out of range and where the paper
  // asks for more reports or a wider band (printed), with kBudgetExhausted
  // where the noise costs more than epsilon and delta, with kNotConverged where
  // no noise is enough.
  static Result<AskedBetweenThresholds> Create(const Params& params);
  // The same with this noise; epsilon and delta are then checked, not used.
  static Result<AskedBetweenThresholds> Create(const Params& params,
                                               const Noise& noise);

  // Stopping query: sets the Flag. Returns true from the halt on.
  bool Ask(Rng& rng);
  // BT query, for its user only. Clears the Flag; ignored (nothing is returned
  // and nothing happens) where it is not set, and after the halt.
  std::optional<Zone> Test(std::int64_t value, Rng& rng);

  bool halted() const { return halted_; }
  const Noise& noise() const { return noise_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The state is secret, and is resumed once. Load fails with
  // kFailedPrecondition on a state of other parameters, with kCorruption on
  // bytes that no Save wrote.
  void Save(ByteWriter& writer) const;
  static Result<AskedBetweenThresholds> Load(const Params& params,
                                             ByteReader& reader);

 private:
  using AnyStopper = std::variant<LaplaceStopper, Stopper>;

  AskedBetweenThresholds(const Params& params, const Noise& noise,
                         FixedWorkLaplace laplace, AnyStopper stopper,
                         Guarantee guarantee)
      : params_(params),
        noise_(noise),
        laplace_(std::move(laplace)),
        stopper_(std::move(stopper)),
        guarantee_(std::move(guarantee)) {}

  Params params_;
  Noise noise_;
  FixedWorkLaplace laplace_;
  AnyStopper stopper_;
  Guarantee guarantee_;
  bool flag_ = true;
  bool medium_ = false;  // answered since the Stopper was last asked
  bool halted_ = false;
};

// Probability that more than reports + `late` mediums are answered before the
// halt, rounded up (step 2).
double LateProbability(AskedBetweenThresholds::StopperKind kind,
                       double stopper_rate, std::int64_t late);
// The least `late` with at most this probability. Requires 0 < failure < 1.
std::int64_t LeastLate(AskedBetweenThresholds::StopperKind kind,
                       double stopper_rate, double failure);

// delta(epsilon), rounded up, of a record of the data (step 3) and of a hidden
// query (step 4). 1 where nothing is proved.
double AskedRecordDelta(const AskedBetweenThresholds::Params& params,
                        const AskedBetweenThresholds::Noise& noise);
double AskedQueryDelta(const AskedBetweenThresholds::Params& params,
                       const AskedBetweenThresholds::Noise& noise);

}  // namespace sotto
