#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accounting/stopped_process.h"
#include "sotto/base/result.h"

namespace sotto {

// The game behind a stopped process, on the lattice of privacy losses.
//
// Position l means a loss of l * rate. With j targets left the adversary picks
// which of the two moves, up (probability pi) or down (1 - pi), is charged:
//
//   U_j(l) = max{ pi U_j(l+1) + (1-pi) [eta U_j(l-1) + (1-eta) U_{j-1}(l-1)],
//                 pi [eta U_j(l+1) + (1-eta) U_{j-1}(l+1)] + (1-pi) U_j(l-1) }
//   U_0(l) = max{0, 1 - exp(epsilon - l * rate)}
//
// with pi = 1/(1 + exp(-rate)) and eta = exp(-rate * gap), 0 for
// AboveThreshold. delta(epsilon - l * rate) = U_r(l).
//
//   auto game = StoppedGame::Create({.process = p, .epsilon = 1,
//                                    .lowest = -90, .highest = 160});
//   for (int j = 0; j < r; ++j) if (auto s = game->AddTarget(); !s) ...
//   double delta = game->UpperAt(0);
//
// Guarantee: UpperAt(l) >= U_j(l). Only values that passed IsSupersolution are
//            ever shown.
// Proof:     stopped_process_exact.md, steps 4 to 8.
// Threads:   one object, one thread.
class StoppedGame {
 public:
  struct Params {
    StoppedProcess process;  // `targets` is not used
    double epsilon = 0;
    std::int64_t lowest = 0;  // first and last position kept
    std::int64_t highest = 0;
  };

  // The smallest payoff: it keeps every value a normal double, and is part of
  // the answer (a delta below it is never reported).
  static constexpr double kFloor = 1e-200;

  // Fails with kInvalidArgument unless the process is valid, epsilon finite,
  // lowest < highest, and the window has at most 2^26 positions.
  static Result<StoppedGame> Create(const Params& params);

  // Advances from U_{j-1} to U_j. Fails with kNotConverged if no policy gave a
  // supersolution at any inflation up to kMaxInflation.
  Status AddTarget();

  // Certified: at least U_j(l). Requires lowest <= l <= highest.
  double UpperAt(std::int64_t position) const;
  // A double-precision value of one strategy, deflated: at most U_j(l) up to
  // rounding. A measure of tightness, not a certificate.
  double LowerAt(std::int64_t position) const;

  double inflation() const { return inflation_; }

  // Coefficients of the two options. All are at least (upper) or about equal
  // to (central) the true ones.
  struct Kernel {
    double up, up_free, up_paid;        // pi, pi eta, pi (1 - eta)
    double down, down_free, down_paid;  // the same of 1 - pi
  };
  static Kernel CentralKernel(const StoppedProcess& process);
  static Kernel UpperKernel(const StoppedProcess& process);

  // True if `value` (U_j) with `previous` (U_{j-1}) is at least both options,
  // at least `previous`, everywhere inside; or at least 1. Both vectors carry
  // one ghost position on either side. Evaluated with upward rounding.
  static bool IsSupersolution(const Kernel& upper,
                              const std::vector<double>& value,
                              const std::vector<double>& previous);

 private:
  // One direction of bounding (from above or from below): the factors of the
  // tridiagonal system of the current policy, and its solution.
  struct Side {
    double scale = 1;         // 1 + inflation, or 1 - deflation
    double bottom_ghost = 0;  // U(lowest - 1) = bottom_ghost * U(lowest)
    double top = 1;           // U(highest + 1)
    std::vector<double> carry_up, carry_down;      // of the solution
    std::vector<double> from_above, from_below;    // of the previous level
    std::vector<double> value, previous, partial;  // with ghosts
  };
  enum Move : std::uint8_t { kChargeDown, kChargeUp };

  explicit StoppedGame(const Params& params);
  void SetPayoff();
  void Factorize(Side& side) const;
  void SolveBothSides();
  bool ImprovePolicy();

  Params params_;
  std::size_t size_;
  Kernel central_;
  Kernel upper_kernel_;
  double inflation_;
  std::vector<std::uint8_t> policy_;
  Side above_, below_;
  bool stale_ = true;
};

}  // namespace sotto
