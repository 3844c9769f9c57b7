#include "sotto/online/label_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

// Log odds beyond this are the last bin.
constexpr double kFurthest = 16;

std::size_t FindBin(double probability, std::size_t bins) {
  const double odds = PortableLog(probability / (1 - probability));
  const double share =
      (std::clamp(odds, -kFurthest, kFurthest) + kFurthest) / (2 * kFurthest);
  return std::min(static_cast<std::size_t>(share * static_cast<double>(bins)),
                  bins - 1);
}

}  // namespace

std::uint32_t LabelMetrics::CountedClasses(const LabelType& type) {
  return type.classes() <= kMostClasses ? type.classes() : 0;
}

void LabelMetrics::Add(const Label& prediction,
                       std::optional<double> probability, const Label& y,
                       const LabelType& type) {
  classes_ = CountedClasses(type);
  if (classes_ == 0 || prediction.index() >= classes_ ||
      y.index() >= classes_) {
    return;
  }
  confusion_.resize(std::size_t{classes_} * classes_);
  ++confusion_[std::size_t{y.index()} * classes_ + prediction.index()];
  if (type.kind != LabelType::Kind::kTwo || !probability ||
      !(*probability >= 0 && *probability <= 1)) {
    return;
  }
  bins_.resize(2);
  ++bins_[y.index()][FindBin(*probability, kBins)];
}

std::uint64_t LabelMetrics::Count(std::uint32_t y,
                                  std::uint32_t prediction) const {
  return confusion_.empty()
             ? 0
             : confusion_[std::size_t{y} * classes_ + prediction];
}

std::uint64_t LabelMetrics::labelled() const {
  return std::accumulate(confusion_.begin(), confusion_.end(),
                         std::uint64_t{0});
}

std::optional<double> LabelMetrics::Auc() const {
  if (bins_.empty()) return std::nullopt;
  double below = 0;  // negative rows in lower bins
  double pairs = 0;
  double positive = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    const auto zeros = static_cast<double>(bins_[0][i]);
    const auto ones = static_cast<double>(bins_[1][i]);
    pairs += ones * (below + zeros / 2);
    below += zeros;
    positive += ones;
  }
  if (below == 0 || positive == 0) return std::nullopt;
  return pairs / (below * positive);
}

void LabelMetrics::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(confusion_.empty() ? 0 : 1));
  writer.Number(static_cast<std::uint8_t>(bins_.empty() ? 0 : 1));
  for (const std::uint64_t count : confusion_) writer.Number(count);
  for (const Bins& bins : bins_) {
    for (const std::uint64_t count : bins) writer.Number(count);
  }
}

Result<LabelMetrics> LabelMetrics::Load(ByteReader& reader,
                                        const LabelType& type) {
  LabelMetrics metrics;
  const auto counted = reader.Number<std::uint8_t>();
  const auto binned = reader.Number<std::uint8_t>();
  const std::uint32_t classes = CountedClasses(type);
  if (counted > 1 || binned > counted || (counted == 1 && classes == 0)) {
    return Corruption("the saved confusion matrix makes no sense");
  }
  if (counted == 1) {
    metrics.classes_ = classes;
    metrics.confusion_.resize(std::size_t{classes} * classes);
  }
  if (binned == 1) metrics.bins_.resize(2);
  for (std::uint64_t& count : metrics.confusion_) {
    count = reader.Number<std::uint64_t>();
  }
  for (Bins& bins : metrics.bins_) {
    for (std::uint64_t& count : bins) count = reader.Number<std::uint64_t>();
  }
  if (reader.failed()) {
    return Corruption("the saved confusion matrix makes no sense");
  }
  return metrics;
}

}  // namespace sotto
