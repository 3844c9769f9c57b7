#include "sotto/data/schemas/schema_text.h"

#include <array>
#include <charconv>

#include "sotto/base/json.h"

namespace sotto {
namespace {

std::string Text(double value) {
  std::array<char, 32> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

Json RangeJson(double low, double high) { return Json::Array{low, high}; }

Json LabelJson(const SchemaLabel& label) {
  Json json = Json::Object{{"column", label.column}};
  const LabelType& type = label.type;
  switch (type.kind) {
    case LabelType::Kind::kTwo:
      json["negative"] = type.names[0];
      json["positive"] = type.names[1];
      break;
    case LabelType::Kind::kClasses:
      json["classes"] = Json::Array(type.names.begin(), type.names.end());
      break;
    case LabelType::Kind::kNumber:
      json["range"] = RangeJson(type.low, type.high);
      break;
  }
  return json;
}

std::string Between(double low, double high) {
  return "from " + Text(low) + " to " + Text(high);
}

std::string MissingText(const SchemaColumn& column) {
  return column.missing ? "; may be missing" : "";
}

std::string ExplainColumn(const SchemaColumn& column) {
  switch (column.type) {
    case SchemaColumn::Type::kCategory:
      return "one of " + std::to_string(column.listed().size()) + " values" +
             (column.other ? "; any other counts as one more value"
                           : "; any other makes its row unusable") +
             MissingText(column);
    case SchemaColumn::Type::kBoolean:
      return "0 or 1, true or false" + MissingText(column);
    case SchemaColumn::Type::kNumber:
      break;
  }
  if (!column.range) {
    return std::string(
               "a number without a range: tide and winnow need one; "
               "add ") +
           "\"range\":[low,high] from what is publicly known, or delete the "
           "column from the schema: then it is not used" +
           MissingText(column);
  }
  return "a number " + Between(column.range->first, column.range->second) +
         "; others are moved to the nearer end and counted" +
         MissingText(column);
}

std::string ExplainLabel(const SchemaLabel& label) {
  const LabelType& type = label.type;
  switch (type.kind) {
    case LabelType::Kind::kTwo:
      return "the label: " + type.names[1] + " is predicted as 1, " +
             type.names[0] + " as 0";
    case LabelType::Kind::kClasses:
      return "the label: one of " + std::to_string(type.names.size()) +
             " classes";
    case LabelType::Kind::kNumber:
      break;
  }
  return "the label: a number " + Between(type.low, type.high);
}

}  // namespace

std::string SchemaText(const Schema& schema) {
  std::string text = "{\"columns\":[\n";
  const Json columns = schema.ColumnsJson();
  for (std::size_t i = 0; i < columns.array()->size(); ++i) {
    text += "  " + (*columns.array())[i].Dump() +
            (i + 1 < columns.array()->size() ? ",\n" : "]");
  }
  if (schema.label) {
    text += ",\n \"label\":" + LabelJson(*schema.label).Dump();
  }
  if (schema.spent) {
    const Json spent = Json::Object{{"epsilon", schema.spent->epsilon},
                                    {"delta", schema.spent->delta}};
    text += ",\n \"spent\":" + spent.Dump();
  }
  return text + "}\n";
}

std::vector<std::string> Explain(const Schema& schema) {
  std::vector<std::string> lines;
  for (const SchemaColumn& column : schema.columns) {
    if (!column.missing_of.empty()) continue;
    lines.push_back(column.name + ": " + ExplainColumn(column));
  }
  lines.push_back(
      schema.label ? schema.label->column + ": " + ExplainLabel(*schema.label)
                   : "no label is named: column y (or --label), 0/1, -1/+1 "
                     "or true/false");
  if (schema.spent) {
    lines.push_back("spent: finding its ranges cost " + schema.spent->Text() +
                    " of the people in that table");
  }
  return lines;
}

}  // namespace sotto
