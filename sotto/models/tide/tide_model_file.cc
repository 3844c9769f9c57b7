#include "sotto/models/tide/tide_model_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/models/batch/model_file_version.h"

namespace sotto {
namespace {

constexpr double kMostLevel = 100;

std::string_view ViewName(TideGroup::Kind kind) {
  switch (kind) {
    case TideGroup::Kind::kCategory:
      return "values";
    case TideGroup::Kind::kLinear:
      return "line";
    case TideGroup::Kind::kHats:
      return "knots";
    case TideGroup::Kind::kLogLinear:
      return "log-line";
    case TideGroup::Kind::kLogHats:
      return "log-knots";
    case TideGroup::Kind::kPair:
      return "pair";
    case TideGroup::Kind::kSparse:
      break;
  }
  return "features";
}

Json Numbers(std::span<const double> numbers) {
  return Json::Array(numbers.begin(), numbers.end());
}

Json Texts(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

Json LabelJson(const LabelType& type, const Schema* schema) {
  Json label = Json::Object{};
  if (schema != nullptr && schema->label) {
    label["column"] = schema->label->column;
  }
  if (type.kind == LabelType::Kind::kNumber) {
    label["range"] = Json::Array{type.low, type.high};
  } else if (type.kind == LabelType::Kind::kClasses) {
    label["classes"] = Texts(type.names);
  } else {
    label["negative"] = type.names.size() == 2 ? type.names[0] : "0";
    label["positive"] = type.names.size() == 2 ? type.names[1] : "1";
  }
  return label;
}

Json GroupJson(const TideHypothesis& h, std::size_t g, const Schema* schema) {
  const TideGroup& group = h.frame.encoding().groups()[g];
  const std::size_t outputs = h.weights.outputs();
  Json columns = Json::Array{};
  if (schema != nullptr) {
    columns.Add(schema->columns[group.column].name);
    if (group.kind == TideGroup::Kind::kPair) {
      columns.Add(schema->columns[group.partner].name);
    }
  }
  std::vector<double> means;
  for (std::uint32_t j = group.first; j < group.first + group.size; ++j) {
    means.push_back(h.frame.mean(j));
  }
  return Json::Object{
      {"columns", columns},
      {"view", ViewName(group.kind)},
      {"share", h.frame.shares()[g]},
      {"means", Numbers(means)},
      {"weights", Numbers(h.weights.values().subspan(group.first * outputs,
                                                     group.size * outputs))}};
}

Error Bad(const std::string& what) {
  return InvalidArgument("not a model of tide: " + what);
}

Result<std::vector<double>> ReadNumbers(const Json& owner,
                                        std::string_view name,
                                        std::size_t count, double most) {
  const Json* numbers = owner.Find(name);
  if (numbers == nullptr || numbers->array() == nullptr ||
      numbers->array()->size() != count) {
    return Bad("expected " + std::to_string(count) + " numbers in " +
               std::string(name));
  }
  std::vector<double> read;
  for (const Json& element : *numbers->array()) {
    const auto number = element.number();
    if (!number || !(std::abs(*number) <= most)) {
      return Bad("expected a number in " + std::string(name));
    }
    read.push_back(*number);
  }
  return read;
}

Result<LabelType> ReadLabel(const Json& label) {
  LabelType type;
  if (const Json* classes = label.Find("classes"); classes != nullptr) {
    type.kind = LabelType::Kind::kClasses;
    if (classes->array() == nullptr) return Bad("classes is not a list");
    for (const Json& name : *classes->array()) {
      if (name.text() == nullptr) return Bad("a class is not a text");
      type.names.push_back(*name.text());
    }
    if (type.names.size() < 2) return Bad("expected at least two classes");
    return type;
  }
  if (label.Find("range") != nullptr) {
    SOTTO_TRY_ASSIGN(const auto range, ReadNumbers(label, "range", 2, 1e300));
    type.kind = LabelType::Kind::kNumber;
    type.low = range[0];
    type.high = range[1];
    if (!(type.low < type.high)) return Bad("the label's range is empty");
    return type;
  }
  for (const char* name : {"negative", "positive"}) {
    const Json* text = label.Find(name);
    if (text == nullptr || text->text() == nullptr) {
      return Bad("the label has no " + std::string(name));
    }
    type.names.push_back(*text->text());
  }
  return type;
}

Result<TideEncoding> ReadEncoding(const Json& json,
                                  const std::optional<Schema>& schema) {
  const auto flag = [&json](const char* name, bool absent) {
    const Json* found = json.Find(name);
    if (found == nullptr || found->boolean() == nullptr) return absent;
    return *found->boolean();
  };
  TideEncoding::Params params = {.schema = schema ? &*schema : nullptr,
                                 .pairs = flag("pairs", false),
                                 .hashed_pairs = flag("hashed_pairs", true)};
  if (const Json* knots = json.Find("knots"); knots != nullptr) {
    const auto count = knots->natural().value_or(0);
    params.coarse = count == TideEncoding::kCoarseCells + 1;
    if (!params.coarse && count != TideEncoding::kCells + 1) {
      return Bad("expected 9 or 17 knots");
    }
  }
  if (!schema) {
    const Json* features = json.Find("features");
    const Json* most = json.Find("max_nonzeros");
    if (features == nullptr || most == nullptr) return Bad("no columns");
    constexpr std::uint64_t kMost = TideEncoding::kMaxCoordinates;
    params.features = static_cast<std::uint32_t>(
        std::min(kMost, features->natural().value_or(0)));
    params.max_nonzeros = static_cast<std::uint32_t>(
        std::min(kMost, most->natural().value_or(0)));
  }
  return TideEncoding::Create(params);
}

// Reads shares, means and weights of all groups into `h`.
Status ReadGroups(const Json& json, TideHypothesis& h) {
  const std::size_t outputs = h.weights.outputs();
  SOTTO_TRY_ASSIGN(const auto constant,
                   ReadNumbers(json, "constant", outputs, 1e100));
  std::ranges::copy(constant, h.weights.values().begin());
  const auto groups = h.frame.encoding().groups();
  const Json* list = json.Find("groups");
  if (list == nullptr || list->array() == nullptr ||
      list->array()->size() != groups.size()) {
    return Bad("expected " + std::to_string(groups.size()) + " groups");
  }
  std::vector<double> shares;
  std::vector<double> means(h.frame.encoding().coordinates(), 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Json& entry = (*list->array())[g];
    const Json* share = entry.Find("share");
    shares.push_back(share == nullptr ? -1 : share->number().value_or(-1));
    if (!(shares.back() >= 0 && shares.back() <= 1)) return Bad("no share");
    SOTTO_TRY_ASSIGN(const auto own,
                     ReadNumbers(entry, "means", groups[g].size, 1));
    std::ranges::copy(own, means.begin() + groups[g].first);
    SOTTO_TRY_ASSIGN(
        const auto weights,
        ReadNumbers(entry, "weights", groups[g].size * outputs, 1e100));
    std::ranges::copy(
        weights, h.weights.values().subspan(groups[g].first * outputs).begin());
  }
  h.frame.SetShares(shares);
  h.frame.SetMeans(means);
  h.weights.Centre(h.frame);
  return Ok();
}

// How far one column alone can move the score of any output.
double ComputeReach(const TideModelFile& model, std::uint32_t column) {
  const TideEncoding& encoding = model.hypothesis.frame.encoding();
  const SchemaColumn& about = model.schema->columns[column];
  std::uint32_t first = 0;
  for (std::uint32_t c = 0; c < column; ++c) {
    first += model.schema->columns[c].features();
  }
  constexpr int kPoints = 65;
  const bool category = about.type == SchemaColumn::Type::kCategory;
  const auto points =
      category ? static_cast<std::uint32_t>(about.values.size()) : kPoints;
  const std::size_t outputs = model.hypothesis.weights.outputs();
  std::vector<double> low(outputs, HUGE_VAL);
  std::vector<double> high(outputs, -HUGE_VAL);
  std::vector<TideFeature> row;
  for (std::uint32_t i = 0; i < points; ++i) {
    const Feature x =
        category ? Feature{first + i, 1} : Feature{first, i / (points - 1.0)};
    encoding.Encode({&x, 1}, row);
    for (std::size_t c = 0; c < outputs; ++c) {
      double sum = 0;
      for (const TideFeature& f : row) {
        const TideGroup& group = encoding.groups()[f.group];
        if (group.column != column || group.kind == TideGroup::Kind::kPair) {
          continue;
        }
        sum +=
            model.hypothesis.weights.values()[f.index * outputs + c] * f.value;
      }
      low[c] = std::min(low[c], sum);
      high[c] = std::max(high[c], sum);
    }
  }
  double reach = 0;
  for (std::size_t c = 0; c < outputs; ++c) {
    reach = std::max(reach, high[c] - low[c]);
  }
  return reach;
}

// The furthest first.
std::vector<ColumnReach> FindReaches(const TideModelFile& model) {
  std::vector<ColumnReach> columns;
  for (std::uint32_t c = 0; c < model.schema->columns.size(); ++c) {
    // A mark is part of its column.
    if (!model.schema->columns[c].missing_of.empty()) continue;
    columns.push_back({model.schema->columns[c].name, ComputeReach(model, c)});
  }
  std::ranges::stable_sort(columns, std::greater<>(), &ColumnReach::reach);
  return columns;
}

std::string Bar(double share) {
  constexpr double kWidth = 40;
  return std::string(static_cast<std::size_t>(std::lround(kWidth * share)),
                     '#');
}

}  // namespace

Json TideToJson(const TideHypothesis& h, const Schema* schema,
                const Guarantee& guarantee) {
  const auto groups = h.frame.encoding().groups();
  Json json = Json::Object{{"version", kModelFileVersion},
                           {"label", LabelJson(h.label, schema)}};
  if (schema != nullptr) {
    json["columns"] = schema->ColumnsJson();
    json["pairs"] = groups.back().kind == TideGroup::Kind::kPair;
    json["hashed_pairs"] = h.frame.encoding().hashed_pairs();
    json["knots"] = h.frame.encoding().cells() + 1;
  } else {
    json["features"] = groups[0].size;
    json["max_nonzeros"] = h.frame.encoding().max_entries();
  }
  json["temper"] = h.temper;
  if (h.label.kind == LabelType::Kind::kNumber) json["level"] = h.level;
  json["constant"] = Numbers(h.weights.values().first(h.weights.outputs()));
  Json list = Json::Array{};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    list.Add(GroupJson(h, g, schema));
  }
  json["groups"] = std::move(list);
  json["guarantee"] = sotto::ToJson(guarantee);
  return json;
}

Result<TideModelFile> TideFromJson(const Json& json) {
  SOTTO_TRY(CheckModelFileVersion(json));
  const Json* label = json.Find("label");
  if (label == nullptr) return Bad("it has no label");
  SOTTO_TRY_ASSIGN(auto type, ReadLabel(*label));
  std::optional<Schema> schema;
  if (const Json* columns = json.Find("columns"); columns != nullptr) {
    SOTTO_TRY_ASSIGN(
        auto parsed,
        Schema::Parse(Json(Json::Object{{"columns", *columns}}).Dump(),
                      "the model"));
    schema = std::move(parsed);
  }
  SOTTO_TRY_ASSIGN(auto encoding, ReadEncoding(json, schema));
  const std::uint32_t outputs =
      type.kind == LabelType::Kind::kClasses ? type.classes() : 1;
  const std::uint32_t coordinates = encoding.coordinates();
  TideModelFile model{std::move(schema),
                      {},
                      {TideFrame(encoding), TideWeights(coordinates, outputs),
                       std::move(type)}};
  if (const Json* column = label->Find("column");
      column != nullptr && column->text() != nullptr) {
    model.label_column = *column->text();
  }
  const Json* temper = json.Find("temper");
  model.hypothesis.temper =
      temper == nullptr ? 0 : temper->number().value_or(0);
  if (!(model.hypothesis.temper > 0 && model.hypothesis.temper <= 1)) {
    return Bad("expected temper, a number in (0, 1]");
  }
  if (const Json* level = json.Find("level"); level != nullptr) {
    model.hypothesis.level = level->number().value_or(kMostLevel + 1);
  }
  if (!(std::abs(model.hypothesis.level) <= kMostLevel)) {
    return Bad("expected level, a score");
  }
  SOTTO_TRY(ReadGroups(json, model.hypothesis));
  return model;
}

Result<PublishedModel> ReadTide(const Json& json) {
  SOTTO_TRY_ASSIGN(auto model, TideFromJson(json));
  PublishedModel published{.encoding = {.schema = model.schema, .hash_bits = 0},
                           .label = model.hypothesis.label,
                           .label_column = model.label_column};
  if (!model.schema) {
    published.encoding.features =
        model.hypothesis.frame.encoding().groups().front().size;
  }
  published.predict = [h = std::move(model.hypothesis)](FeatureView x) {
    const TideAnswer answer = h.Predict(x);
    return PublishedModel::Answer{answer.prediction, answer.probability};
  };
  return published;
}

Result<std::vector<ColumnReach>> ReachOfTide(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, TideFromJson(json));
  return model.schema ? FindReaches(model) : std::vector<ColumnReach>();
}

std::string ShowTide(const TideModelFile& model) {
  if (!model.schema) {
    return "weights of " +
           WithCommas(model.hypothesis.frame.encoding().groups()[0].size) +
           " features without names\n";
  }
  const std::vector<ColumnReach> columns = FindReaches(model);
  double most = 0;
  std::size_t width = 0;
  for (const ColumnReach& entry : columns) {
    most = std::max(most, entry.reach);
    width = std::max(width, entry.column.size());
  }
  std::string text = "how far each column can move the score:\n";
  for (const auto& [name, reach] : columns) {
    char number[32];
    std::snprintf(number, sizeof number, "%7.2f  ", reach);
    text += "  " + name + std::string(width - name.size(), ' ') + number +
            Bar(most > 0 ? reach / most : 0) + "\n";
  }
  return text;
}

}  // namespace sotto
