#include "sotto/streams/schema.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace sotto {
namespace {

using Json = nlohmann::json;

// A value of the document and how to find it: "schema.json: columns[3].type".
struct Node {
  const Json& json;
  std::string source;
  std::string path;

  Error Expected(const std::string& what) const {
    std::string shown =
        json.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    return InvalidArgument(source + ": " + (path.empty() ? "top level" : path) +
                           ": expected " + what + ", found " + shown);
  }
  Node Member(const std::string& key) const {
    return {json[key], source, path.empty() ? key : path + "." + key};
  }
  Node Element(std::size_t i) const {
    return {json[i], source, path + "[" + std::to_string(i) + "]"};
  }
};

// A misspelt key would be ignored in silence, so no other keys are allowed.
Status CheckKeys(const Node& node, std::initializer_list<const char*> required,
                 std::initializer_list<const char*> optional) {
  if (!node.json.is_object()) return node.Expected("an object");
  std::set<std::string> known(required.begin(), required.end());
  known.insert(optional.begin(), optional.end());
  std::string names;
  for (const std::string& key : known)
    names += (names.empty() ? "" : ", ") + key;
  for (const auto& [key, value] : node.json.items()) {
    if (!known.contains(key)) {
      return Node{value, node.source,
                  node.path.empty() ? key : node.path + "." + key}
          .Expected("no such key (known are " + names + ")");
    }
  }
  for (const char* key : required) {
    if (!node.json.contains(key)) {
      return node.Expected(std::string("a key \"") + key + "\"");
    }
  }
  return Ok();
}

Result<std::string> Text(const Node& node) {
  if (!node.json.is_string() ||
      node.json.get_ref<const std::string&>().empty()) {
    return node.Expected("a string that is not empty");
  }
  return node.json.get<std::string>();
}

Result<std::vector<std::string>> Values(const Node& node) {
  if (!node.json.is_array() || node.json.empty()) {
    return node.Expected("a list of at least one string");
  }
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < node.json.size(); ++i) {
    auto value = Text(node.Element(i));
    if (!value) return value.error();
    if (!seen.insert(*value).second) {
      return node.Element(i).Expected("values that differ");
    }
    values.push_back(*std::move(value));
  }
  return values;
}

Result<std::pair<double, double>> Range(const Node& node) {
  const bool two = node.json.is_array() && node.json.size() == 2 &&
                   node.json[0].is_number() && node.json[1].is_number();
  const double low = two ? node.json[0].get<double>() : 0;
  const double high = two ? node.json[1].get<double>() : 0;
  // high - low may overflow even where both ends are finite.
  if (!two || !(low < high) || !std::isfinite(high - low)) {
    return node.Expected("[low, high], two finite numbers, low < high");
  }
  return std::pair(low, high);
}

Result<SchemaColumn> CategoryColumn(const Node& node, std::string name) {
  if (const Status keys = CheckKeys(node, {"name", "type", "values"}, {});
      !keys) {
    return keys.error();
  }
  auto values = Values(node.Member("values"));
  if (!values) return values.error();
  return SchemaColumn{std::move(name), SchemaColumn::Type::kCategory,
                      *std::move(values), std::nullopt};
}

Result<SchemaColumn> NumberColumn(const Node& node, std::string name) {
  if (const Status keys = CheckKeys(node, {"name", "type"}, {"range"}); !keys) {
    return keys.error();
  }
  SchemaColumn column{
      std::move(name), SchemaColumn::Type::kNumber, {}, std::nullopt};
  if (!node.json.contains("range")) return column;
  const auto range = Range(node.Member("range"));
  if (!range) return range.error();
  column.range = *range;
  return column;
}

Result<SchemaColumn> ParseColumn(const Node& node) {
  if (const Status keys =
          CheckKeys(node, {"name", "type"}, {"values", "range"});
      !keys) {
    return keys.error();
  }
  auto name = Text(node.Member("name"));
  if (!name) return name.error();
  const Node type = node.Member("type");
  if (type.json == "category") return CategoryColumn(node, *std::move(name));
  if (type.json == "number") return NumberColumn(node, *std::move(name));
  if (type.json == "boolean") {
    if (const Status keys = CheckKeys(node, {"name", "type"}, {}); !keys) {
      return keys.error();
    }
    return SchemaColumn{
        *std::move(name), SchemaColumn::Type::kBoolean, {}, std::nullopt};
  }
  return type.Expected(R"("category", "number" or "boolean")");
}

Result<SchemaLabel> ParseLabel(const Node& node) {
  if (const Status keys =
          CheckKeys(node, {"column", "negative", "positive"}, {});
      !keys) {
    return keys.error();
  }
  const auto column = Text(node.Member("column"));
  if (!column) return column.error();
  const auto negative = Text(node.Member("negative"));
  if (!negative) return negative.error();
  const auto positive = Text(node.Member("positive"));
  if (!positive) return positive.error();
  if (*negative == *positive) {
    return node.Member("positive").Expected("another string than negative");
  }
  return SchemaLabel{*column, *negative, *positive};
}

Result<Schema> ParseSchema(const Node& root) {
  if (const Status keys = CheckKeys(root, {"columns"}, {"label"}); !keys) {
    return keys.error();
  }
  const Node columns = root.Member("columns");
  if (!columns.json.is_array() || columns.json.empty()) {
    return columns.Expected("a list of at least one column");
  }
  Schema schema;
  if (root.json.contains("label")) {
    auto label = ParseLabel(root.Member("label"));
    if (!label) return label.error();
    schema.label = *std::move(label);
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.json.size(); ++i) {
    const Node node = columns.Element(i);
    auto column = ParseColumn(node);
    if (!column) return column.error();
    if (!seen.insert(column->name).second) {
      return node.Member("name").Expected("names that differ");
    }
    if (schema.label && schema.label->column == column->name) {
      return node.Member("name").Expected(
          "a feature, but this column is the label");
    }
    schema.columns.push_back(*std::move(column));
  }
  return schema;
}

}  // namespace

Result<Schema> Schema::FromFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return InvalidArgument("cannot read " + path);
  return Parse(text, path);
}

Result<Schema> Schema::Parse(std::string_view text, const std::string& source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& problem) {
    return InvalidArgument(source + ": not JSON: " + problem.what());
  }
  return ParseSchema({json, source, ""});
}

std::optional<std::size_t> Schema::Find(std::string_view name) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace sotto
