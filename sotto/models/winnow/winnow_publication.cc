#include "sotto/models/winnow/winnow_publication.h"

#include <bit>
#include <utility>

#include "sotto/streams/schema.h"

namespace sotto {
namespace {

constexpr int kVersion = 1;

Json ColumnJson(const SchemaColumn& column) {
  Json json = Json::Object{{"name", column.name}};
  switch (column.type) {
    case SchemaColumn::Type::kCategory: {
      json["type"] = "category";
      Json values = Json::Array();
      for (const std::string& value : column.values) values.Add(value);
      json["values"] = std::move(values);
      break;
    }
    case SchemaColumn::Type::kBoolean:
      json["type"] = "boolean";
      break;
    case SchemaColumn::Type::kNumber:
      json["type"] = "number";
      break;
  }
  if (column.range) {
    json["range"] = Json::Array{column.range->first, column.range->second};
  }
  return json;
}

// What an index means: the schema's columns, or numbers and buckets.
Json EncodingJson(const Inputs& inputs) {
  if (inputs.schema != nullptr) {
    Json columns = Json::Array();
    for (const SchemaColumn& column : inputs.schema->columns) {
      columns.Add(ColumnJson(column));
    }
    return Json::Object{
        {"schema", Json::Object{{"columns", std::move(columns)}}}};
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
  const std::uint32_t kept = max_nonzeros_ - (bias_ ? 1 : 0);
  std::string rule =
      "positive if bias + sum of weight * value > 0, otherwise negative; "
      "values clipped to [-1, 1]; features not listed weigh 0";
  if (max_nonzeros_ > 0) {
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
  return Json::Object{{"format", "sotto halfspace"},
                      {"version", kVersion},
                      {"rule", std::move(rule)},
                      {"features", inputs_.features},
                      {"row_features", max_nonzeros_ > 0 ? Json(kept) : Json()},
                      {"label", LabelJson(inputs_.label)},
                      {"encoding", EncodingJson(inputs_)},
                      {"bias", bias},
                      {"weights", std::move(weights)}};
}

}  // namespace sotto
