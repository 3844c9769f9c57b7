#include "sotto/models/winnow/winnow_publication.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sotto/base/json_fields.h"
#include "sotto/data/streams/schema.h"

namespace sotto {
namespace {

constexpr std::string_view kFormat = "sotto halfspace";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 24;

// Meaning of an index: the schema's columns, or numbers and buckets.
Json EncodingJson(const InputSpec& inputs, bool clamp) {
  if (inputs.schema != nullptr) {
    return Json::Object{
        {"schema", Json::Object{{"columns", inputs.schema->ColumnsJson()}}},
        {"clamp", clamp}};
  }
  const std::uint32_t buckets = inputs.features - inputs.dense;
  Json json = Json::Object{
      {"numbers", inputs.dense},
      {"hash_bits", buckets == 0 ? 0 : std::bit_width(buckets) - 1}};
  if (inputs.names.empty()) return json;
  Json names = Json::Array();
  for (const std::string& name : inputs.names) names.Add(name);
  json["columns"] = std::move(names);
  return json;
}

Json LabelJson(const LabelType& label) {
  const bool named = label.names.size() == 2;
  return Json::Object{{"negative", named ? label.names[0] : "0"},
                      {"positive", named ? label.names[1] : "1"}};
}

}  // namespace

Json WinnowPublication::Weight(const Feature& weight) const {
  Json json = Json::Object{{"index", weight.index}};
  if (weight.index < inputs_.names.size()) {
    json["name"] = inputs_.names[weight.index];
  }
  json["weight"] = weight.value;
  return json;
}

Json WinnowPublication::Of(const WinnowHypothesis& hypothesis) const {
  const std::uint32_t kept = params_.max_nonzeros - (params_.bias ? 1 : 0);
  std::string rule =
      "positive if bias + sum of weight * value > 0, otherwise negative; "
      "values clipped to [-1, 1]; features not listed weigh 0";
  if (params_.max_nonzeros > 0) {
    rule += "; of a row only the first " + std::to_string(kept) +
            " features that are there count";
  }
  double bias = 0;
  Json weights = Json::Array();
  for (const Feature& weight : hypothesis.Sparse()) {
    if (weight.index == inputs_.features) {
      bias = weight.value;
    } else {
      weights.Add(Weight(weight));
    }
  }
  return Json::Object{
      {"format", kFormat},
      {"version", kVersion},
      {"rule", std::move(rule)},
      {"features", inputs_.features},
      {"row_features", params_.max_nonzeros > 0 ? Json(kept) : Json()},
      {"label", LabelJson(inputs_.label)},
      {"encoding", EncodingJson(inputs_, params_.clamp)},
      {"bias", bias},
      {"weights", std::move(weights)}};
}

bool WinnowPublication::Predict(const WinnowHypothesis& hypothesis,
                                FeatureView x) const {
  const std::size_t kept = params_.max_nonzeros - (params_.bias ? 1 : 0);
  if (params_.max_nonzeros > 0) x = x.first(std::min(x.size(), kept));
  return hypothesis.Predict(x);
}

namespace {

Status ReadEncoding(const JsonFields& fields, const Json& json,
                    ReadHalfspace& model) {
  if (fields.Has("schema")) {
    SOTTO_TRY_ASSIGN(
        auto schema,
        Schema::Parse(json.Find("encoding")->Find("schema")->Dump(),
                      "the model's schema"));
    model.encoding.schema = std::move(schema);
    model.encoding.clamp = fields.Flag("clamp");
    return Ok();
  }
  model.encoding.features =
      static_cast<std::uint32_t>(fields.Natural("numbers", kMostFeatures));
  model.encoding.hash_bits = static_cast<int>(fields.Natural("hash_bits", 24));
  if (fields.Has("columns")) model.columns = fields.Texts("columns");
  return Ok();
}

void ReadWeights(const JsonFields& fields, ReadHalfspace& model) {
  const std::uint32_t features = model.features;
  std::vector<float> weights(features + 1, 0);
  for (const JsonFields& weight : fields.Array("weights")) {
    const auto index =
        static_cast<std::uint32_t>(weight.Natural("index", kMostFeatures));
    const auto value = static_cast<float>(weight.GetDouble("weight"));
    if (index >= features) {
      weight.Refuse("index", "a feature below " + std::to_string(features));
      return;
    }
    if (!std::isfinite(value)) weight.Refuse("weight", "a number of 32 bits");
    if (weight.Has("name")) model.names[index] = weight.Text("name");
    weights[index] = value;
  }
  weights[features] = static_cast<float>(fields.GetDouble("bias"));
  const bool bias = weights[features] != 0;
  if (!bias) weights.pop_back();
  model.hypothesis = WinnowHypothesis(std::move(weights), bias);
}

}  // namespace

double ReadHalfspace::Score(FeatureView x) const {
  if (row_features) {
    x = x.first(std::min<std::size_t>(x.size(), *row_features));
  }
  return hypothesis.Score(x);
}

Result<ReadHalfspace> ReadPublication(const Json& json) {
  std::string fault;
  const JsonFields fields(json, fault);
  if (fields.Text("format") != kFormat) fields.Refuse("format", kFormat);
  if (fields.Natural("version", kVersion) != kVersion) {
    fields.Refuse("version", std::to_string(kVersion));
  }
  if (!fault.empty()) return InvalidArgument(fault);
  ReadHalfspace model;
  model.features =
      static_cast<std::uint32_t>(fields.Natural("features", kMostFeatures));
  if (fields.Has("row_features")) {
    model.row_features = static_cast<std::uint32_t>(
        fields.Natural("row_features", kMostFeatures));
  }
  const JsonFields label = fields.Object("label");
  model.negative = label.Text("negative");
  model.positive = label.Text("positive");
  const JsonFields encoding = fields.Object("encoding");
  SOTTO_TRY(ReadEncoding(encoding, json, model));
  ReadWeights(fields, model);
  if (!fault.empty()) return InvalidArgument(fault);
  return model;
}

}  // namespace sotto
