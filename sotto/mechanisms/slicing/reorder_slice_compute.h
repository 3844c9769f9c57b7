#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/rng.h"

namespace sotto {

// Factory of the mechanism on a slice: makes it out of the slice's elements,
// sorted by T's own order, and states its cost beforehand. The
// mechanism may be interactive, and used while later slices are cut.
template <typename C, typename T>
concept SliceMechanism = requires(const C& compute, std::vector<T> slice,
                                  Rng& rng) {
  { compute.guarantee() } -> std::convertible_to<const Guarantee&>;
  compute.Run(std::move(slice), rng);
};

// A SliceMechanism out of a guarantee and a function.
template <typename F>
class SliceFunction {
 public:
  SliceFunction(Guarantee guarantee, F run)
      : guarantee_(std::move(guarantee)), run_(std::move(run)) {}

  const Guarantee& guarantee() const { return guarantee_; }
  template <typename T>
  auto Run(std::vector<T> slice, Rng& rng) const {
    return run_(std::move(slice), rng);
  }

 private:
  Guarantee guarantee_;
  F run_;
};

// Cuts disjoint slices off a data set, each by an order that may depend on all
// that was seen before, and runs a private mechanism on each. Any number of
// slices together cost about as much as ln(1/delta) of them.
//
//   auto slicer = ReorderSliceCompute<int>::Create(
//       {.slice_epsilon = 0.01, .slices = 1000, .failure = 1e-6}, data);
//   if (!slicer) return slicer.error();
//   auto top = slicer->Slice(500, std::greater<>(), compute, rng);
//
// A slice has `size` elements and a geometric number more, which stays secret;
// fewer if the data run out, which stays secret too. Public are: the number of
// slices, their nominal sizes, orders and mechanisms.
//
// Paper:     [PERP] Algorithm 1 (RSC) and Theorem 4.1.
// Guarantee: (epsilon, delta)-DP for one element added or removed, against
//            adaptive choices of size, order, mechanism and queries.
// Proof:     reorder_slice_compute.md.
// Threads:   not thread-safe. Elements that compare equal are alike.
template <std::totally_ordered T>
class ReorderSliceCompute {
 public:
  struct Params {
    // The largest cost of any mechanism on a slice.
    double slice_epsilon = 0;
    double slice_delta = 0;
    // kAddRemove: that is for one element more; substituting one costs twice
    // as much. kReplace: either costs this (mechanisms that see the slice
    // through counts of sensitivity 1); needs the flag below.
    Relation slice_relation = Relation::kAddRemove;
    // The caller vouches: what a mechanism promises for replacement holds for a
    // slice that is one element shorter, too. Not true of one that shows the
    // number of elements. Without it such promises are refused.
    bool replace_covers_shorter = false;
    std::uint64_t slices = 0;
    double failure = 0;         // delta^, the part of delta spent on slicing
    double geometric_rate = 0;  // 0: slice_epsilon; less costs less epsilon
  };

  // Fails with kInvalidArgument where SliceBound does, and on kReplace without
  // the flag; the rate must be a Rational.
  static Result<ReorderSliceCompute> Create(const Params& params,
                                            std::vector<T> data);

  // Runs `compute` on about the `size` first elements by `before`, a strict
  // weak order that does not depend on the data, and takes them away. Fails,
  // depending on nothing private, with kBudgetExhausted after `slices` calls,
  // with kInvalidArgument unless 0 <= size <= 2^40, with kFailedPrecondition if
  // compute.guarantee() is more than Params allow.
  template <typename Before, SliceMechanism<T> Compute>
  auto Slice(std::int64_t size, const Before& before, const Compute& compute,
             Rng& rng)
      -> Result<decltype(compute.Run(std::declval<std::vector<T>>(), rng))>;

  std::uint64_t slices_left() const { return slices_left_; }
  const SliceCharge& charge() const { return charge_; }
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  ReorderSliceCompute(const Params& params, SliceCharge charge,
                      Guarantee guarantee, FixedWorkGeometric noise,
                      std::vector<T> data)
      : params_(params),
        charge_(charge),
        guarantee_(std::move(guarantee)),
        noise_(std::move(noise)),
        data_(std::move(data)),
        slices_left_(params.slices) {}

  Status CheckSlice(std::int64_t size, const Guarantee& cost) const {
    if (slices_left_ == 0) {
      return BudgetExhausted("no slices are left");
    }
    if (size < 0 || size > std::int64_t{1} << 40) {
      return InvalidArgument("the size must be in [0, 2^40]");
    }
    if (!WithinSliceBudget(cost, params_.slice_epsilon, params_.slice_delta,
                           params_.slice_relation,
                           params_.replace_covers_shorter)) {
      return FailedPrecondition(
          "the mechanism costs more than a slice may, or promises "
          "nothing for a shorter slice or an adaptive adversary");
    }
    return Ok();
  }

  Params params_;
  SliceCharge charge_;
  Guarantee guarantee_;
  FixedWorkGeometric noise_;
  std::vector<T> data_;
  std::uint64_t slices_left_;
};

template <std::totally_ordered T>
Result<ReorderSliceCompute<T>> ReorderSliceCompute<T>::Create(
    const Params& params, std::vector<T> data) {
  if (params.slice_relation == Relation::kReplace &&
      !params.replace_covers_shorter) {
    return InvalidArgument("kReplace needs promises that cover shorter slices");
  }
  SOTTO_TRY_ASSIGN(const auto plan,
                   PlanSlices({.slice_epsilon = params.slice_epsilon,
                               .slice_delta = params.slice_delta,
                               .geometric_rate = params.geometric_rate,
                               .slices = params.slices,
                               .failure = params.failure},
                              params.slice_relation));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkGeometric::Create(plan.rate));
  return ReorderSliceCompute(params, plan.charge, plan.guarantee,
                             std::move(noise), std::move(data));
}

template <std::totally_ordered T>
template <typename Before, SliceMechanism<T> Compute>
auto ReorderSliceCompute<T>::Slice(std::int64_t size, const Before& before,
                                   const Compute& compute, Rng& rng)
    -> Result<decltype(compute.Run(std::declval<std::vector<T>>(), rng))> {
  SOTTO_TRY(CheckSlice(size, compute.guarantee()));
  --slices_left_;
  const auto noisy = static_cast<std::size_t>(size + noise_.Sample(rng));
  const std::size_t taken = std::min(noisy, data_.size());
  // Ties in `before` are broken by T's own order, so that the order is total.
  const auto first = [&](const T& a, const T& b) {
    if (before(a, b)) return true;
    return !before(b, a) && a < b;
  };
  const auto end = data_.begin() + static_cast<std::ptrdiff_t>(taken);
  if (end != data_.end()) {
    std::nth_element(data_.begin(), end, data_.end(), first);
  }
  std::vector<T> slice(std::move_iterator(data_.begin()),
                       std::move_iterator(end));
  data_.erase(data_.begin(), end);
  std::sort(slice.begin(), slice.end());
  return compute.Run(std::move(slice), rng);
}

}  // namespace sotto
