#include "sotto/audit/transcript_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

namespace sotto {
namespace {

constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325;

// A step of FNV-1a on words.
std::uint64_t Mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3;
  return hash ^ (hash >> 29);
}

// A hash of the answers, folded into the bins. Collisions only reduce power.
std::size_t Pattern(const View& view) {
  std::uint64_t hash = kEmptyHash;
  for (const std::int64_t answer : view.seen) {
    hash = Mix(hash, static_cast<std::uint64_t>(answer));
  }
  return static_cast<std::size_t>((hash * 0x9e3779b97f4a7c15) >> 54);
}

double Visible(std::int64_t answer) {
  return answer == View::kHidden ? 0 : static_cast<double>(answer);
}

// A single number for the first answer that is not 0 and its round: the round
// for answers of two kinds.
double First(const View& view) {
  for (std::size_t i = 0; i < view.rounds(); ++i) {
    if (Visible(view.seen[i]) != 0) return static_cast<double>(i);
  }
  return static_cast<double>(view.rounds());
}

// The number of equal answers at the end of the view.
double Tail(const View& view) {
  std::int64_t last = View::kHidden;
  double tail = 0;
  for (std::size_t i = view.rounds(); i-- > 0;) {
    if (view.seen[i] == View::kHidden) continue;
    if (last == View::kHidden) last = view.seen[i];
    if (view.seen[i] != last) break;
    ++tail;
  }
  return tail;
}

// Balance of two kinds of answers with equal weight.
double Balance(const View& view) {
  double balance = 0;
  for (const std::int64_t answer : view.seen) {
    if (answer != View::kHidden) balance += answer > 0 ? 1 : -1;
  }
  return balance;
}

}  // namespace

std::array<double, TranscriptFeatures::kCount> TranscriptFeatures::Numbers(
    const View& view) const {
  double sum = 0;
  for (const std::int64_t answer : view.seen) sum += Visible(answer);
  std::array<double, kCount> numbers = {};
  numbers[kPattern] = static_cast<double>(Pattern(view));
  numbers[kLength] = static_cast<double>(view.rounds());
  numbers[kSum] = sum;
  numbers[kLast] = view.seen.empty() ? 0 : Visible(view.seen.back());
  numbers[kFirst] = First(view);
  numbers[kTail] = Tail(view);
  numbers[kBalance] = Balance(view);
  numbers[kClassifier] = trained_ ? classifier_.Score(view) : 0;
  return numbers;
}

TranscriptFeatures TranscriptFeatures::Fit(std::span<const View> zero,
                                           std::span<const View> one,
                                           bool trained) {
  TranscriptFeatures made;
  made.trained_ = trained;
  if (trained) made.classifier_ = Classifier::Train(zero, one);
  std::array<std::vector<double>, kCount> values;
  for (const auto& views : {zero, one}) {
    for (const View& view : views) {
      const auto numbers = made.Numbers(view);
      for (std::size_t r = 0; r < kCount; ++r) values[r].push_back(numbers[r]);
    }
  }
  for (std::size_t r = 1; r < kCount; ++r) {  // patterns have no scale
    if (values[r].empty()) continue;
    std::sort(values[r].begin(), values[r].end());
    const std::size_t cut = values[r].size() / 500;
    const double low = values[r][cut];
    const double high = values[r][values[r].size() - 1 - cut];
    const double width = (high - low) / (kBins - 8);
    const bool whole = r != kClassifier;
    // Integers that fit have one bin each, with room on both sides.
    made.scales_[r] = whole && width <= 1
                          ? Scale{low - 4, 1}
                          : Scale{low - 4 * width, width > 0 ? width : 1};
  }
  return made;
}

TranscriptFeatures::Bins TranscriptFeatures::Of(const View& view) const {
  const auto numbers = Numbers(view);
  Bins bins = {};
  bins[kPattern] = static_cast<std::uint16_t>(numbers[kPattern]);
  for (std::size_t r = 1; r < kCount; ++r) {
    const double place = (numbers[r] - scales_[r].low) / scales_[r].width;
    bins[r] = static_cast<std::uint16_t>(
        std::clamp(std::floor(place), 0.0, double{kBins - 1}));
  }
  return bins;
}

std::uint64_t TranscriptFeatures::Fingerprint() const {
  std::vector<double> numbers = classifier_.Numbers();
  for (const Scale& scale : scales_) {
    numbers.insert(numbers.end(), {scale.low, scale.width});
  }
  std::uint64_t hash = Mix(kEmptyHash, trained_ ? 1 : 0);
  for (const double number : numbers) {
    hash = Mix(hash, std::bit_cast<std::uint64_t>(number));
  }
  return hash;
}

std::string_view TranscriptFeatures::Name(Reading reading) {
  switch (reading) {
    case kPattern:
      return "the whole transcript";
    case kLength:
      return "how many rounds there were";
    case kSum:
      return "the sum of the answers";
    case kLast:
      return "the last answer";
    case kFirst:
      return "rounds before the first answer that is not 0";
    case kTail:
      return "how many of the last answers are equal";
    case kBalance:
      return "how many more answers are positive than are not";
    case kClassifier:
      return "the score of a trained classifier";
    case kCount:
      break;
  }
  return "";
}

std::string TranscriptFeatures::Describe(Reading reading,
                                         std::size_t bin) const {
  if (reading == kPattern) return "pattern " + std::to_string(bin);
  const Scale& scale = scales_[reading];
  char text[40];
  std::snprintf(text, sizeof text, "%.6g",
                scale.low + static_cast<double>(bin) * scale.width);
  return text;
}

}  // namespace sotto
