#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/models/winnow/winnow_publication.h"

namespace sotto {
namespace {

// "color=red", "bucket 17", "feature 3", or "bias".
std::string GetName(const ReadHalfspace& model, const Feature& weight) {
  if (weight.index == model.features) return "(bias)";
  const auto place = model.names.find(weight.index);
  if (place != model.names.end()) return Printable(place->second);
  const auto& numbers = model.encoding.features;
  const bool hashed = numbers && weight.index >= *numbers;
  return (hashed ? "bucket " : "feature ") + std::to_string(weight.index);
}

std::string Bar(const std::string& name, std::size_t width, double weight,
                double largest) {
  constexpr double kLongest = 30;
  std::string padded = name;
  padded.resize(std::max(width, name.size()), ' ');
  std::array<char, 32> number;
  std::snprintf(number.data(), number.size(), "  %+.4f  ", weight);
  const auto length = static_cast<std::size_t>(
      std::lround(kLongest * std::abs(weight) / largest));
  return "  " + padded + number.data() +
         std::string(length, weight > 0 ? '+' : '-') + "\n";
}

std::string Bars(const ReadHalfspace& model, FeatureVector weights) {
  constexpr std::size_t kMostBars = 40;
  std::ranges::stable_sort(weights, [](const Feature& a, const Feature& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  const std::size_t shown = std::min(weights.size(), kMostBars);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, GetName(model, weights[i]).size());
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += Bar(GetName(model, weights[i]), width, weights[i].value,
                std::abs(weights[0].value));
  }
  if (shown == weights.size()) return text;
  std::array<char, 32> rest;
  std::snprintf(rest.data(), rest.size(), "%.4f",
                std::abs(weights[shown].value));
  return text + "  and " + WithCommas(weights.size() - shown) +
         " more, each of magnitude at most " + rest.data() + "\n";
}

Result<std::string> Show(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, ReadPublication(json));
  const FeatureVector weights = model.hypothesis.Sparse();
  std::string text =
      Printable(model.positive) +
      " if the sum of weight times value is above 0, otherwise " +
      Printable(model.negative) + "; " + WithCommas(weights.size()) +
      " weights that are not 0, of " + WithCommas(model.features) +
      " features:\n";
  text += Bars(model, weights);
  if (const Json* guarantee = json.Find("guarantee")) {
    SOTTO_TRY_ASSIGN(const auto promise, GuaranteeFromJson(*guarantee));
    text += "Privacy: " + promise.Describe() + "\n";
  }
  return text;
}

Result<PublishedModel> Read(const Json& json) {
  SOTTO_TRY_ASSIGN(auto model, ReadPublication(json));
  return PublishedModel{
      .encoding = model.encoding,
      .limits = {.range = {{-1, 1}}},
      .label = {.names = {model.negative, model.positive}},
      .columns = model.columns,
      .predict = [model](FeatureView x) {
        return PublishedModel::Answer{Label(model.Predict(x))};
      }};
}

}  // namespace

const ModelFileFormat& PublishedWinnow() {
  static const ModelFileFormat kEntry = {
      .name = "winnow", .show = Show, .read = Read};
  return kEntry;
}

}  // namespace sotto
