#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/label_parser.h"
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

Result<ReaderParams> ReaderFor(const ReadHalfspace& model,
                               const TableSource& source, bool with_labels) {
  if (!source.schema.empty()) {
    return InvalidArgument(
        "the model says what its features are: leave --schema out");
  }
  ReaderParams params{.path = source.path,
                      .header = source.header,
                      .label = source.label,
                      .label_optional = true,
                      .ignore_labels = !with_labels,
                      .labels = {{model.negative, model.positive}},
                      .encoding = model.encoding,
                      .skip_bad = source.skip_bad};
  if (!source.format.empty()) params.format = FormatNamed(source.format);
  if (source.columns) {
    params.columns = static_cast<std::uint32_t>(*source.columns);
  }
  if (!source.labels.empty()) {
    SOTTO_TRY_ASSIGN(auto words, ParseLabelWords(source.labels));
    params.labels = std::move(words);
  }
  return params;
}

// The columns of a csv file are identified by their position.
Status CheckColumns(const ReadHalfspace& model, const ExampleReader& reader) {
  const std::uint32_t features = reader.features();
  const bool less = !model.encoding.schema && features < model.features;
  if (features != model.features && !less) {
    return InvalidArgument("the model has " + std::to_string(model.features) +
                           " features, these rows have " +
                           std::to_string(features));
  }
  const auto& found = reader.encoding().columns();
  if (model.encoding.schema || found.empty() || model.columns.empty() ||
      found == model.columns) {
    return Ok();
  }
  return InvalidArgument("the model's columns are " + ShownList(model.columns) +
                         "; those of this file are " + ShownList(found));
}

Status Predict(const Json& json, const TableSource& source, bool with_labels,
               const ModelFileFormat::Take& take) {
  SOTTO_TRY_ASSIGN(const auto model, ReadPublication(json));
  SOTTO_TRY_ASSIGN(auto params, ReaderFor(model, source, with_labels));
  SOTTO_TRY_ASSIGN(auto reader, ExampleReader::Open(std::move(params)));
  SOTTO_TRY(CheckColumns(model, reader));
  Round round;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, reader.Next(round));
    if (!more) return Ok();
    if (!round.present()) {
      SOTTO_TRY(take("", std::nullopt));
      continue;
    }
    const bool prediction = model.Predict(round.x);
    std::optional<bool> wrong;
    if (round.y) wrong = round.y->positive() != prediction;
    if (Status taken =
            take(prediction ? model.positive : model.negative, wrong);
        !taken) {
      return taken;
    }
  }
}

}  // namespace

const ModelFileFormat& PublishedWinnow() {
  static const ModelFileFormat kEntry = {
      .name = "winnow", .show = Show, .predict = Predict};
  return kEntry;
}

}  // namespace sotto
