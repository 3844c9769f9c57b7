#include "sotto/models/fits/fit_replay.h"

#include <string>
#include <utility>
#include <vector>

#include "sotto/random/noise_observer.h"

namespace sotto {

void ReportRows(const FitBatch& batch, const LossWeights& weights,
                std::uint64_t units, Rng& rng) {
  NoiseObserver* observer = FindObserver(rng);
  if (observer == nullptr) return;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.label(i) == FitBatch::kEmpty) continue;
    std::string row = std::to_string(batch.label(i));
    for (const std::uint32_t code : batch.row(i)) {
      row += ' ' + std::to_string(code);
    }
    rows.push_back(std::move(row));
  }
  observer->OnRows(std::move(rows), weights, units);
}

Split SameChoice(Split split, Rng& rng) {
  split.kind = SameChoice(split.kind, rng);
  split.column = SameChoice(split.column, rng);
  split.code = SameChoice(split.code, rng);
  split.label = SameChoice(split.label, rng);
  return split;
}

}  // namespace sotto
