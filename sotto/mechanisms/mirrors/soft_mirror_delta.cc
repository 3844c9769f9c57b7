#include "sotto/mechanisms/mirrors/soft_mirror_delta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>

namespace sotto {
namespace {

// Losses are kept between -kBelow epsilon and kAbove epsilon: smaller ones are
// rounded up to the first cell, larger ones count as certain distinction.
constexpr int kBelow = 2;
constexpr int kAbove = 3;
// Covers the rounding of at most 2^23 coins: 8 operations of 2^-53 each, all on
// numbers that are not negative.
constexpr double kRoundOff = 1e-7;
// Covers the rounding of a logarithm of long doubles, absolute.
constexpr long double kLogSlack = 1e-17L;

// A coin as seen in the two worlds; probabilities are exact in long double.
struct Coin {
  long double top_p;
  long double bottom_p;
  long double top_q;
  long double bottom_q;
};

long double Share(std::uint64_t threshold) {
  return static_cast<long double>(threshold) * 0x1p-64L;
}
long double CoShare(std::uint64_t threshold) {
  return static_cast<long double>(std::uint64_t{0} - threshold) * 0x1p-64L;
}

// One outcome's mass, split between two cells: `mass` on `cell`, `next` above.
struct Atom {
  std::ptrdiff_t cell = 0;
  double mass = 0;
  double next = 0;
};

class LossGrid {
 public:
  LossGrid(double epsilon, int cells)
      : epsilon_(epsilon),
        width_(static_cast<long double>(epsilon) / cells),
        origin_(std::ptrdiff_t{kBelow} * cells),
        cells_(std::ptrdiff_t{kBelow + kAbove} * cells + 1),
        mass_(static_cast<std::size_t>(cells_), 0.0),
        scratch_(mass_.size(), 0.0),
        low_(origin_),
        high_(origin_) {
    mass_[static_cast<std::size_t>(origin_)] = 1;
  }

  void Multiply(const Coin& coin) {
    std::array<Atom, 2> atoms;
    double certain = 0;
    AddOutcome(coin.top_p, coin.top_q, atoms[0], certain);
    AddOutcome(coin.bottom_p, coin.bottom_q, atoms[1], certain);
    certain_ += certain;
    Convolve(atoms);
  }

  // Gain of the adversary at e^epsilon, rounded up.
  double Delta() const {
    long double sum = certain_;
    const double* mass = mass_.data() + pad_;
    for (std::ptrdiff_t k = low_; k <= high_; ++k) {
      const long double loss = static_cast<long double>(k - origin_) * width_;
      if (loss > epsilon_) sum += mass[k] * -std::expm1(epsilon_ - loss);
    }
    return static_cast<double>(sum) * (1 + kRoundOff) + 1e-280;
  }

 private:
  // Step 3: the split keeps P's mass and does not give Q more than it has.
  void AddOutcome(long double p, long double q, Atom& atom, double& certain) {
    if (p == 0) return;
    if (q == 0) {
      certain += static_cast<double>(p);
      return;
    }
    // log1p keeps small losses, log keeps large negative ones.
    const long double loss =
        (p > q / 2 ? std::log1p((p - q) / q) : std::log(p / q)) + kLogSlack;
    const long double cell = std::floor(loss / width_);
    const long double above = std::max(0.0L, loss - cell * width_);
    const long double upper = std::min(
        p, p * (std::expm1(-above) / std::expm1(-width_)) * (1 + 1e-15L));
    atom.cell = static_cast<std::ptrdiff_t>(cell);
    atom.next = static_cast<double>(upper);
    atom.mass = static_cast<double>(p - upper);
  }

  // mass[k] <- sum over the four split atoms of mass[k - shift] * factor. Both
  // arrays have kPad cells around the grid, zero outside [low_, high_].
  void Convolve(const std::array<Atom, 2>& atoms) {
    const std::ptrdiff_t down =
        std::min({std::ptrdiff_t{0}, atoms[0].cell, atoms[1].cell});
    const std::ptrdiff_t up =
        std::max({std::ptrdiff_t{0}, atoms[0].cell, atoms[1].cell}) + 1;
    Reserve(std::max(-down, up) + 1);
    const std::ptrdiff_t first = low_ + down;
    const std::ptrdiff_t last = high_ + up;
    const double* source0 = mass_.data() + pad_ - atoms[0].cell;
    const double* source1 = mass_.data() + pad_ - atoms[1].cell;
    double* target = scratch_.data() + pad_;
    const double m0 = atoms[0].mass;
    const double n0 = atoms[0].next;
    const double m1 = atoms[1].mass;
    const double n1 = atoms[1].next;
    for (std::ptrdiff_t k = first; k <= last; ++k) {
      target[k] = (source0[k] * m0 + source0[k - 1] * n0) +
                  (source1[k] * m1 + source1[k - 1] * n1);
    }
    std::fill(mass_.begin() + pad_ + low_, mass_.begin() + pad_ + high_ + 1,
              0.0);
    mass_.swap(scratch_);
    low_ = first;
    high_ = last;
    Fold();
    Trim();
  }

  // Makes room for a shift by `cells` in either direction, reads included.
  void Reserve(std::ptrdiff_t cells) {
    const std::ptrdiff_t need = 2 * cells + 2;
    if (need <= pad_) return;
    const auto more = static_cast<std::size_t>(need - pad_);
    for (std::vector<double>* array : {&mass_, &scratch_}) {
      array->insert(array->begin(), more, 0.0);
      array->insert(array->end(), more, 0.0);
    }
    pad_ = need;
  }

  // Brings what left the grid back to its first cell, or counts it as certain.
  void Fold() {
    double* mass = mass_.data() + pad_;
    for (; low_ < 0; ++low_) {
      mass[low_ + 1] += mass[low_];
      mass[low_] = 0;
    }
    for (; high_ >= cells_; --high_) {
      certain_ += mass[high_];
      mass[high_] = 0;
    }
  }

  // Drops ends that no longer matter: the upper one counts as distinction, the
  // lower one is moved up a cell.
  void Trim() {
    constexpr double kTiny = 1e-30;
    double* mass = mass_.data() + pad_;
    while (high_ > low_ && mass[high_] < kTiny) {
      certain_ += mass[high_];
      mass[high_--] = 0;
    }
    while (low_ < high_ && mass[low_] < kTiny) {
      mass[low_ + 1] += mass[low_];
      mass[low_++] = 0;
    }
  }

  long double epsilon_;
  long double width_;
  std::ptrdiff_t origin_;  // The cell of loss 0.
  std::ptrdiff_t cells_;
  std::vector<double> mass_;
  std::vector<double> scratch_;
  std::ptrdiff_t pad_ = 0;
  std::ptrdiff_t low_;
  std::ptrdiff_t high_;
  double certain_ = 0;
};

}  // namespace

Result<SoftRampDeltas> ComputeDelta(const SoftRamp& ramp, double epsilon,
                                    int cells_per_epsilon) {
  if (ramp.empty() || ramp.size() > std::size_t{1} << 22 || ramp[0] == 0 ||
      std::adjacent_find(ramp.begin(), ramp.end(), std::greater_equal<>()) !=
          ramp.end()) {
    return InvalidArgument("a ramp must rise from above 0");
  }
  if (!(epsilon >= 0.05 && epsilon <= 10) || cells_per_epsilon < 10 ||
      cells_per_epsilon > 100000) {
    return InvalidArgument("no grid for this epsilon");
  }
  LossGrid forward(epsilon, cells_per_epsilon);
  LossGrid backward(epsilon, cells_per_epsilon);
  // Coin s shows ramp[s] after a hidden zero and ramp[s + 1] after a hidden
  // one; before the ramp comes a 0, after it a 1.
  for (std::size_t s = 0; s <= ramp.size(); ++s) {
    const long double zero_top = s == 0 ? 0 : Share(ramp[s - 1]);
    const long double zero_bottom = s == 0 ? 1 : CoShare(ramp[s - 1]);
    const long double one_top = s == ramp.size() ? 1 : Share(ramp[s]);
    const long double one_bottom = s == ramp.size() ? 0 : CoShare(ramp[s]);
    forward.Multiply({one_top, one_bottom, zero_top, zero_bottom});
    backward.Multiply({zero_top, zero_bottom, one_top, one_bottom});
  }
  return SoftRampDeltas{forward.Delta(), backward.Delta()};
}

}  // namespace sotto
