#include "sotto/data/streams/schema.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <set>
#include <unordered_set>

#include "sotto/base/json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/data/streams/byte_source.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {
namespace {

// A value of the document and how to find it: "schema.json: columns[3].type,
// of column 'age'".
struct Node {
  const Json& json;
  std::string source;
  std::string path;
  std::string column = {};  // whose part it is, if that has a name

  Error Expected(const std::string& what) const {
    std::string shown = json.Dump();
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    return InvalidArgument(
        source + ": " + (path.empty() ? "top level" : path) +
        (column.empty() ? "" : ", of column " + Shown(column)) + ": expected " +
        what + ", found " + shown);
  }
  bool Has(std::string_view key) const { return json.Find(key) != nullptr; }
  // Requires that it is there.
  Node Member(const std::string& key) const {
    return {*json.Find(key), source, path.empty() ? key : path + "." + key,
            column};
  }
  Node Element(std::size_t i) const {
    const Json& element = (*json.array())[i];
    const Json* name =
        element.object() != nullptr ? element.Find("name") : nullptr;
    const bool named = name != nullptr && name->text() != nullptr;
    return {element, source, path + "[" + std::to_string(i) + "]",
            named ? *name->text() : column};
  }
  // Number of elements; 0 if it is not a list.
  std::size_t size() const {
    return json.array() != nullptr ? json.array()->size() : 0;
  }
};

// A misspelt key would be ignored in silence, so no other keys are allowed.
Status CheckKeys(const Node& node, std::initializer_list<const char*> required,
                 std::initializer_list<const char*> optional) {
  if (node.json.object() == nullptr) return node.Expected("an object");
  std::set<std::string> known(required.begin(), required.end());
  known.insert(optional.begin(), optional.end());
  std::string names;
  for (const std::string& key : known) {
    names += (names.empty() ? "" : ", ") + key;
  }
  for (const auto& [key, value] : *node.json.object()) {
    if (!known.contains(key)) {
      return Node{value, node.source,
                  node.path.empty() ? key : node.path + "." + key, node.column}
          .Expected("no such key (known are " + names + ")");
    }
  }
  for (const char* key : required) {
    if (!node.Has(key)) {
      return node.Expected(std::string("a key \"") + key + "\"");
    }
  }
  return Ok();
}

Result<std::string> Text(const Node& node) {
  if (node.json.text() == nullptr || node.json.text()->empty()) {
    return node.Expected("a string that is not empty");
  }
  return *node.json.text();
}

// Strings that differ. The empty one may be a value, of a field that is empty.
Result<std::vector<std::string>> Values(const Node& node, std::size_t least,
                                        bool may_be_empty) {
  if (node.size() < least) {
    return node.Expected(
        "a list of at least " +
        std::string(least == 1 ? "one string" : "two strings"));
  }
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string* text = node.Element(i).json.text();
    if (text == nullptr || (text->empty() && !may_be_empty)) {
      return node.Element(i).Expected(
          may_be_empty ? "a string" : "a string that is not empty");
    }
    if (!seen.insert(*text).second) {
      return node.Element(i).Expected("values that differ");
    }
    values.push_back(*text);
  }
  return values;
}

Result<std::pair<double, double>> Range(const Node& node) {
  const bool two = node.size() == 2;
  const auto low = two ? node.Element(0).json.number() : std::nullopt;
  const auto high = two ? node.Element(1).json.number() : std::nullopt;
  // high - low may overflow even where both ends are finite.
  if (!low || !high || !(*low < *high) || !std::isfinite(*high - *low)) {
    return node.Expected("[low, high], two finite numbers, low < high");
  }
  return std::pair(*low, *high);
}

// A fact that is true or false; false if it is not there.
Result<bool> Fact(const Node& node, const std::string& key) {
  if (!node.Has(key)) return false;
  const bool* value = node.Member(key).json.boolean();
  if (value == nullptr) return node.Member(key).Expected("true or false");
  return *value;
}

Result<SchemaColumn> CategoryColumn(const Node& node, SchemaColumn column) {
  SOTTO_TRY(CheckKeys(node, {"name", "type", "values"}, {"missing", "other"}));
  SOTTO_TRY_ASSIGN(column.values,
                   Values(node.Member("values"), 1, /*may_be_empty=*/true));
  for (const std::string_view taken : {kOtherValue, kMissingValue}) {
    if (std::ranges::find(column.values, taken) != column.values.end()) {
      return node.Member("values").Expected("no value called " +
                                            std::string(taken));
    }
  }
  SOTTO_TRY_ASSIGN(column.other, Fact(node, "other"));
  column.type = SchemaColumn::Type::kCategory;
  return column;
}

Result<SchemaColumn> NumberColumn(const Node& node, SchemaColumn column) {
  SOTTO_TRY(CheckKeys(node, {"name", "type"}, {"range", "missing"}));
  if (!node.Has("range")) return column;
  SOTTO_TRY_ASSIGN(column.range, Range(node.Member("range")));
  return column;
}

Result<SchemaColumn> BooleanColumn(const Node& node, SchemaColumn column) {
  SOTTO_TRY(CheckKeys(node, {"name", "type"}, {"missing"}));
  column.type = SchemaColumn::Type::kBoolean;
  return column;
}

Result<SchemaColumn> ParseColumn(const Node& node) {
  SOTTO_TRY(CheckKeys(node, {"name", "type"},
                      {"values", "range", "missing", "other"}));
  SchemaColumn column;
  SOTTO_TRY_ASSIGN(column.name, Text(node.Member("name")));
  SOTTO_TRY_ASSIGN(column.missing, Fact(node, "missing"));
  const Node type = node.Member("type");
  if (type.json == Json("category")) {
    return CategoryColumn(node, std::move(column));
  }
  if (type.json == Json("number")) return NumberColumn(node, std::move(column));
  if (type.json == Json("boolean")) {
    return BooleanColumn(node, std::move(column));
  }
  return type.Expected(R"("category", "number" or "boolean")");
}

// A label is a line of a predictions file and appears on terminals.
Status CheckLabelName(const Node& node, const std::string& name) {
  if (Printable(name) == name && name.find('\n') == std::string::npos)
    return Ok();
  return node.Expected("a name without control characters");
}

Result<LabelType> TwoLabels(const Node& node) {
  if (const Status keys =
          CheckKeys(node, {"column", "negative", "positive"}, {});
      !keys) {
    return keys.error();
  }
  SOTTO_TRY_ASSIGN(auto negative, Text(node.Member("negative")));
  SOTTO_TRY_ASSIGN(auto positive, Text(node.Member("positive")));
  SOTTO_TRY(CheckLabelName(node.Member("negative"), negative));
  SOTTO_TRY(CheckLabelName(node.Member("positive"), positive));
  if (negative == positive) {
    return node.Member("positive").Expected("another string than negative");
  }
  return LabelType{.kind = LabelType::Kind::kTwo,
                   .names = {std::move(negative), std::move(positive)}};
}

Result<LabelType> ClassLabels(const Node& node) {
  SOTTO_TRY(CheckKeys(node, {"column", "classes"}, {}));
  SOTTO_TRY_ASSIGN(auto names,
                   Values(node.Member("classes"), 2, /*may_be_empty=*/false));
  for (std::size_t i = 0; i < names.size(); ++i) {
    SOTTO_TRY(CheckLabelName(node.Member("classes").Element(i), names[i]));
  }
  return LabelType{.kind = LabelType::Kind::kClasses,
                   .names = std::move(names)};
}

Result<LabelType> NumberLabels(const Node& node) {
  SOTTO_TRY(CheckKeys(node, {"column", "range"}, {}));
  SOTTO_TRY_ASSIGN(const auto range, Range(node.Member("range")));
  return LabelType{.kind = LabelType::Kind::kNumber,
                   .low = range.first,
                   .high = range.second};
}

Result<SchemaLabel> ParseLabel(const Node& node) {
  if (const Status keys = CheckKeys(
          node, {"column"}, {"negative", "positive", "classes", "range"});
      !keys) {
    return keys.error();
  }
  SOTTO_TRY_ASSIGN(auto column, Text(node.Member("column")));
  SOTTO_TRY_ASSIGN(auto type, node.Has("classes") ? ClassLabels(node)
                              : node.Has("range") ? NumberLabels(node)
                                                  : TwoLabels(node));
  return SchemaLabel{std::move(column), std::move(type)};
}

Result<SchemaCost> ParseCost(const Node& node) {
  SOTTO_TRY(CheckKeys(node, {"epsilon", "delta"}, {}));
  const auto epsilon = node.Member("epsilon").json.number();
  const auto delta = node.Member("delta").json.number();
  if (epsilon && *epsilon >= 0 && delta && *delta >= 0 && *delta <= 1) {
    return SchemaCost{*epsilon, *delta};
  }
  return node.Expected("epsilon and delta, numbers of at least 0");
}

Result<Schema> ParseSchema(const Node& root) {
  SOTTO_TRY(CheckKeys(root, {"columns"}, {"label", "spent"}));
  const Node columns = root.Member("columns");
  if (columns.size() == 0) {
    return columns.Expected("a list of at least one column");
  }
  Schema schema;
  if (root.Has("spent")) {
    SOTTO_TRY_ASSIGN(schema.spent, ParseCost(root.Member("spent")));
  }
  if (root.Has("label")) {
    SOTTO_TRY_ASSIGN(auto label, ParseLabel(root.Member("label")));
    schema.label = std::move(label);
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Node node = columns.Element(i);
    SOTTO_TRY_ASSIGN(auto column, ParseColumn(node));
    if (schema.label && schema.label->column == column.name) {
      return node.Member("name").Expected(
          "a feature, but this column is the label");
    }
    const std::size_t first = schema.columns.size();
    AddColumn(std::move(column), schema.columns);
    for (std::size_t c = first; c < schema.columns.size(); ++c) {
      if (!seen.insert(schema.columns[c].name).second) {
        return node.Member("name").Expected("names that differ");
      }
    }
  }
  return schema;
}

// Reads the file, as long as it is not too large.
Result<std::string> ReadAll(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  const auto bytes = FileBytes(fd, /*owned=*/true);
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  while (text.size() <= Schema::kMaxBytes) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    const auto got = bytes->Read(std::span(text).subspan(size));
    if (!got) return InvalidArgument(path + ": " + got.error().message);
    text.resize(size + got->bytes);
    if (got->end) return text;
  }
  return InvalidArgument(path + ": expected a schema of at most " +
                         std::to_string(Schema::kMaxBytes >> 20) + " MiB");
}

Json ColumnJson(const SchemaColumn& column) {
  Json json = Json::Object{{"name", column.name}};
  switch (column.type) {
    case SchemaColumn::Type::kCategory: {
      const auto listed = column.listed();
      json["type"] = "category";
      json["values"] = Json::Array(listed.begin(), listed.end());
      break;
    }
    case SchemaColumn::Type::kBoolean:
      json["type"] = "boolean";
      break;
    case SchemaColumn::Type::kNumber:
      json["type"] = "number";
      if (!column.range) break;
      json["range"] = Json::Array{column.range->first, column.range->second};
      break;
  }
  if (column.missing) json["missing"] = true;
  if (column.other) json["other"] = true;
  return json;
}

}  // namespace

std::string SchemaCost::Text() const {
  return "epsilon " + Shortest(epsilon) + ", delta " + Shortest(delta);
}

std::uint32_t SchemaColumn::features() const {
  if (buckets > 0) return buckets;
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, values.size()));
}

std::span<const std::string> SchemaColumn::listed() const {
  const std::size_t added = (other ? 1 : 0) + (missing ? 1 : 0);
  return std::span(values).first(values.size() -
                                 std::min(added, values.size()));
}

bool IsMissing(std::string_view field) {
  static constexpr std::array<std::string_view, 4> kWords = {"na", "n/a", "nan",
                                                             "null"};
  if (field.empty() || field == "?") return true;
  if (field.size() > 4) return false;
  std::string lower(field);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(kWords, lower) != kWords.end();
}

void AddColumn(SchemaColumn column, std::vector<SchemaColumn>& columns) {
  const bool category = column.type == SchemaColumn::Type::kCategory;
  if (column.other) column.values.emplace_back(kOtherValue);
  if (category && column.missing) column.values.emplace_back(kMissingValue);
  const bool marked = column.missing && !category;
  SchemaColumn mark{.name = column.name + " " + std::string(kMissingValue),
                    .type = SchemaColumn::Type::kBoolean,
                    .missing_of = column.name};
  columns.push_back(std::move(column));
  if (marked) columns.push_back(std::move(mark));
}

std::size_t Schema::fields() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      columns, [](const auto& column) { return column.missing_of.empty(); }));
}

Json Schema::ColumnsJson() const {
  Json json = Json::Array{};
  for (const SchemaColumn& column : columns) {
    if (column.missing_of.empty()) json.Add(ColumnJson(column));
  }
  return json;
}

Result<Schema> Schema::FromFile(const std::string& path) {
  SOTTO_TRY_ASSIGN(const auto text, ReadAll(path));
  return Parse(text, path);
}

Result<Schema> Schema::Parse(std::string_view text, const std::string& source) {
  const auto json = Json::Parse(text);
  if (!json) return InvalidArgument(source + ": " + json.error().message);
  return ParseSchema({*json, source, ""});
}

std::optional<std::size_t> Schema::Find(std::string_view name) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace sotto
