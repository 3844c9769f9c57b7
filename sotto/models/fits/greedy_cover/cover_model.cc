#include "sotto/models/fits/greedy_cover/cover_model.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/json_fields.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"

namespace sotto {
namespace {

using Kind = FitColumn::Kind;

constexpr std::string_view kFormat = "sotto decision list";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMost32 = 0xffff'ffff;
// Beyond any table, and small enough to be added up.
constexpr std::int64_t kMostRows = std::int64_t{1} << 52;

struct KindName {
  Kind kind;
  std::string_view name;
};
constexpr std::array<KindName, 4> kTypes = {{{Kind::kCategory, "category"},
                                             {Kind::kHashed, "hashed"},
                                             {Kind::kBoolean, "boolean"},
                                             {Kind::kCuts, "number"}}};

std::string_view GetName(Kind kind) {
  return std::ranges::find(kTypes, kind, &KindName::kind)->name;
}

template <typename T>
Json ToArray(const std::vector<T>& values) {
  return Json::Array(values.begin(), values.end());
}

Json ColumnJson(const FitColumn& column) {
  Json json =
      Json::Object{{"name", column.name}, {"type", GetName(column.kind)}};
  if (column.kind == Kind::kCategory) json["values"] = ToArray(column.values);
  if (column.missing) json["missing"] = true;
  if (!column.missing_of.empty()) json["missing_of"] = column.missing_of;
  if (column.kind == Kind::kHashed) json["buckets"] = column.points;
  if (column.kind == Kind::kCuts) json["cuts"] = ToArray(column.cuts);
  return json;
}

Json RuleJson(const ListRule& rule) {
  Json literals = Json::Array();
  for (const Literal& literal : rule.literals) {
    literals.Add(Json::Object{{"column", literal.atom.column},
                              {"place", literal.atom.place},
                              {"holds", literal.holds}});
  }
  return Json::Object{{"if", std::move(literals)},
                      {"then", rule.label ? 1 : 0}};
}

Json SharesJson(const RuleShares& shares) {
  if (shares.empty()) return {};
  Json json = Json::Array();
  for (const RuleShare& share : shares) {
    json.Add(Json::Object{{"negative", share.negative},
                          {"positive", share.positive}});
  }
  return json;
}

FitColumn ReadColumn(const JsonFields& fields) {
  FitColumn column{.name = fields.Text("name")};
  const auto* type =
      std::ranges::find(kTypes, fields.Text("type"), &KindName::name);
  if (type == kTypes.end()) {
    fields.Refuse("type", "category, hashed, boolean or number");
    return column;
  }
  column.kind = type->kind;
  if (column.kind == Kind::kCategory) {
    column.values = fields.Texts("values");
    column.other_unnamed = true;
  }
  if (column.kind == Kind::kHashed) {
    column.points =
        static_cast<std::uint32_t>(fields.Natural("buckets", kMost32));
  }
  if (column.kind == Kind::kCuts) column.cuts = fields.Reals("cuts");
  column.missing = fields.Has("missing") && fields.Flag("missing");
  if (fields.Has("missing_of")) column.missing_of = fields.Text("missing_of");
  return column;
}

ListRule ReadRule(const JsonFields& fields) {
  ListRule rule{.literals = {}, .label = fields.Natural("then", 1) != 0};
  for (const JsonFields& literal : fields.Array("if")) {
    rule.literals.push_back(
        {{static_cast<std::uint32_t>(literal.Natural("column", kMost32)),
          static_cast<std::uint32_t>(literal.Natural("place", kMost32))},
         literal.Flag("holds")});
  }
  return rule;
}

Result<DecisionList> ReadList(const JsonFields& fields,
                              const std::string& fault) {
  std::vector<FitColumn> columns;
  for (const JsonFields& column : fields.Array("columns")) {
    columns.push_back(ReadColumn(column));
  }
  std::vector<ListRule> rules;
  for (const JsonFields& rule : fields.Array("rules")) {
    rules.push_back(ReadRule(rule));
  }
  const bool otherwise = fields.Natural("else", 1) != 0;
  if (!fault.empty()) return InvalidArgument(fault);
  SOTTO_TRY_ASSIGN(auto checked, CheckCoverColumns(std::move(columns)));
  return DecisionList::Create(std::move(checked), std::move(rules), otherwise);
}

std::int64_t ReadShare(const JsonFields& fields, std::string_view name) {
  const std::int64_t rows = fields.Integer(name);
  if (rows >= -kMostRows && rows <= kMostRows) return rows;
  fields.Refuse(name, "a number of rows");
  return 0;
}

RuleShares ReadShares(const JsonFields& fields, std::size_t rules) {
  RuleShares shares;
  if (!fields.Has("shares")) return shares;
  for (const JsonFields& share : fields.Array("shares")) {
    shares.push_back(
        {ReadShare(share, "negative"), ReadShare(share, "positive")});
  }
  if (shares.size() != rules + 1) {
    fields.Refuse("shares", "a share for each rule and the else");
  }
  return shares;
}

// They are shown and written as they are; their types are checked.
void CheckParameters(const JsonFields& fields) {
  for (const char* name : {"rules", "literals", "penalty", "reward"}) {
    fields.Natural(name, kMost32);
  }
  for (const char* name : {"rate", "bonus"}) fields.GetDouble(name);
  fields.Text("calibration");
  fields.Integer("cap");
}

}  // namespace

Json CoverModel::ToJson() const {
  Json columns = Json::Array();
  for (const FitColumn& column : list.columns().all()) {
    columns.Add(ColumnJson(column));
  }
  Json rule_list = Json::Array();
  for (const ListRule& rule : list.rules()) rule_list.Add(RuleJson(rule));
  return Json::Object{{"format", kFormat},
                      {"version", kVersion},
                      {"model", "greedy-cover"},
                      {"private", is_private},
                      {"guarantee", sotto::ToJson(guarantee)},
                      {"parameters", parameters},
                      {"label", Json::Object{{"column", labels.column},
                                             {"negative", labels.negative},
                                             {"positive", labels.positive}}},
                      {"columns", std::move(columns)},
                      {"rules", std::move(rule_list)},
                      {"else", list.otherwise() ? 1 : 0},
                      {"shares", SharesJson(shares)}};
}

Result<CoverModel> CoverModel::FromJson(const Json& json) {
  std::string fault;
  const JsonFields fields(json, fault);
  if (fields.Text("format") != kFormat) fields.Refuse("format", kFormat);
  if (fields.Natural("version", kVersion) != kVersion) {
    fields.Refuse("version", std::to_string(kVersion));
  }
  const JsonFields label = fields.Object("label");
  const JsonFields parameters = fields.Object("parameters");
  const JsonFields promise = fields.Object("guarantee");
  if (!fault.empty()) return InvalidArgument(fault);
  SOTTO_TRY_ASSIGN(auto guarantee, GuaranteeFromJson(*json.Find("guarantee")));
  SOTTO_TRY_ASSIGN(auto list, ReadList(fields, fault));
  RuleShares shares = ReadShares(fields, list.rules().size());
  CoverModel model{.list = std::move(list),
                   .labels = {.column = label.Text("column"),
                              .negative = label.Text("negative"),
                              .positive = label.Text("positive")},
                   .guarantee = std::move(guarantee),
                   .is_private = fields.Flag("private"),
                   .parameters = *json.Find("parameters"),
                   .shares = std::move(shares),
                   .share_scale = parameters.GetDouble("share_scale")};
  CheckParameters(parameters);
  if (!fault.empty()) return InvalidArgument(fault);
  return model;
}

std::string CoverModel::Text() const {
  const DecisionList shown = shares.empty() ? list.Simplified() : list;
  return shown.Text(labels, shares, share_scale);
}

}  // namespace sotto
