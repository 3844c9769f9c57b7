#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/base/rational.h"
#include "sotto/models/fits/fit_batch.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/split_scan.h"
#include "sotto/testing/exact_number.h"

namespace sotto {

// Small instances of private fits and their distributions, in exact numbers,
// straight from the definitions.
//
// Threads: pure functions.
struct TestExample {
  std::vector<std::uint32_t> codes;
  bool label = false;
};
using TestRow = std::optional<TestExample>;  // absent: an empty place

inline FitBatch MakeBatch(std::size_t columns,
                          const std::vector<TestRow>& rows) {
  FitBatch batch(columns);
  for (const TestRow& row : rows) {
    if (row) {
      batch.Add(row->codes, row->label);
    } else {
      batch.PadTo(batch.size() + 1);
    }
  }
  return batch;
}

inline ExactNumber ToExact(Uint128 value) {
  const ExactNumber half(std::uint64_t{1} << 32);
  return ExactNumber(High64(value)) * half * half + ExactNumber(Low64(value));
}

// A number just above e^rate, for rates up to 8.
inline ExactNumber ExpAbove(const Rational& rate) {
  const ExactNumber r =
      ExactNumber(rate.numerator()) / ExactNumber(rate.denominator());
  ExactNumber term = 1;
  ExactNumber sum = 1;
  for (int i = 1; i <= 60; ++i) {
    term *= r / ExactNumber(i);
    sum += term;
  }
  return sum + 2 * term;
}

struct SplitOrder {
  bool operator()(const Split& a, const Split& b) const {
    const auto key = [](const Split& s) {
      return std::tuple(s.kind, s.column, s.code, s.label);
    };
    return key(a) < key(b);
  }
};
using Distribution = std::map<Split, ExactNumber, SplitOrder>;

// Largest quotient of probabilities, both ways.
inline ExactNumber Worst(const Distribution& a, const Distribution& b) {
  ExactNumber worst = 1;
  for (const auto& [split, p] : a) {
    const ExactNumber& q = b.at(split);
    if (p == ExactNumber(0) || q == ExactNumber(0)) {
      if (p != q) return 1'000'000;
      continue;
    }
    worst = std::max({worst, ExactNumber(p / q), ExactNumber(q / p)});
  }
  return worst;
}

// All splits, with a number's cuts at these cells only.
inline std::vector<Split> SplitsAt(const FitColumns& columns, SplitLoss loss,
                                   const std::vector<std::uint32_t>& cells) {
  std::vector<Split> splits;
  const int labels = loss == SplitLoss::kErrors ? 2 : 1;
  for (int label = 0; label < labels; ++label) {
    if (labels == 2) splits.push_back({.label = label != 0});
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      if (columns[c].kind == FitColumn::Kind::kNumber) {
        for (const std::uint32_t cell : cells) {
          splits.push_back({Split::Kind::kAtLeast, c, cell, label != 0});
        }
      } else {
        for (std::uint32_t v = 0; v < columns[c].choices(); ++v) {
          splits.push_back({Split::Kind::kEquals, c, v, label != 0});
        }
      }
    }
  }
  return splits;
}

inline std::uint64_t LossByDefinition(const Split& split, const FitBatch& batch,
                                      SplitLoss loss) {
  std::uint64_t counts[2][2] = {};  // by side and label
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.label(i) == FitBatch::kEmpty) continue;
    ++counts[split.Holds(batch.row(i)) ? 1 : 0][batch.label(i)];
  }
  if (loss == SplitLoss::kErrors) {
    const int said = split.label ? 1 : 0;
    return counts[1][1 - said] + counts[0][said];
  }
  std::uint64_t sum = 0;
  for (const auto& side : counts) {
    const std::uint64_t rows = side[0] + side[1];
    if (rows > 0) sum += 64 * side[0] * side[1] / rows;
  }
  return sum;
}

// How many places of the sum around this one have the same split.
inline Uint128 ComputeWidth(const SplitScan& scan, Uint128 place) {
  const Split split = scan.At(0, place);
  Uint128 low = 0;
  Uint128 inside = place;
  while (low < inside) {  // the first that has it
    const Uint128 middle = low + (inside - low) / 2;
    if (scan.At(0, middle) == split) {
      inside = middle;
    } else {
      low = middle + 1;
    }
  }
  const Uint128 first = low;
  inside = place;
  Uint128 high = scan.total(0);
  while (high - inside > 1) {  // the last
    const Uint128 middle = inside + (high - inside) / 2;
    if (scan.At(0, middle) == split) {
      inside = middle;
    } else {
      high = middle;
    }
  }
  return inside - first + 1;
}

}  // namespace sotto
