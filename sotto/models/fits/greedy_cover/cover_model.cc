#include "sotto/models/fits/greedy_cover/cover_model.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/json_fields.h"

namespace sotto {
namespace {

using Type = CoverColumn::Type;

constexpr std::string_view kFormat = "sotto decision list";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kMost32 = 0xffff'ffff;
// Beyond any table, and small enough to be added up.
constexpr std::int64_t kMostRows = std::int64_t{1} << 52;

struct TypeName {
  Type type;
  std::string_view name;
};
constexpr std::array<TypeName, 4> kTypes = {{{Type::kCategory, "category"},
                                             {Type::kHashed, "hashed"},
                                             {Type::kBoolean, "boolean"},
                                             {Type::kNumber, "number"}}};

std::string_view GetName(Type type) {
  return std::ranges::find(kTypes, type, &TypeName::type)->name;
}

template <typename T>
Json ToArray(const std::vector<T>& values) {
  return Json::Array(values.begin(), values.end());
}

Json ColumnJson(const CoverColumn& column) {
  Json json =
      Json::Object{{"name", column.name}, {"type", GetName(column.type)}};
  if (column.type == Type::kCategory) json["values"] = ToArray(column.values);
  if (column.missing) json["missing"] = true;
  if (!column.missing_of.empty()) json["missing_of"] = column.missing_of;
  if (column.type == Type::kHashed) json["buckets"] = column.buckets;
  if (column.type == Type::kNumber) json["cuts"] = ToArray(column.cuts);
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

CoverColumn ReadColumn(const JsonFields& fields) {
  CoverColumn column{.name = fields.Text("name")};
  const auto* type =
      std::ranges::find(kTypes, fields.Text("type"), &TypeName::name);
  if (type == kTypes.end()) {
    fields.Refuse("type", "category, hashed, boolean or number");
    return column;
  }
  column.type = type->type;
  if (column.type == Type::kCategory) column.values = fields.Texts("values");
  if (column.type == Type::kHashed) {
    column.buckets =
        static_cast<std::uint32_t>(fields.Natural("buckets", kMost32));
  }
  if (column.type == Type::kNumber) column.cuts = fields.Reals("cuts");
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
  std::vector<CoverColumn> columns;
  for (const JsonFields& column : fields.Array("columns")) {
    columns.push_back(ReadColumn(column));
  }
  std::vector<ListRule> rules;
  for (const JsonFields& rule : fields.Array("rules")) {
    rules.push_back(ReadRule(rule));
  }
  const bool otherwise = fields.Natural("else", 1) != 0;
  if (!fault.empty()) return InvalidArgument(fault);
  SOTTO_TRY_ASSIGN(auto checked, CoverColumns::Create(std::move(columns)));
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

void ReadParameters(const JsonFields& fields, CoverModel& model) {
  const auto small = [&](std::string_view name) {
    return static_cast<std::uint32_t>(fields.Natural(name, kMost32));
  };
  model.rules = small("rules");
  model.literals = small("literals");
  model.penalty = small("penalty");
  model.reward = small("reward");
  model.calibration = fields.Text("calibration");
  model.rate = fields.GetDouble("rate");
  model.bonus = fields.GetDouble("bonus");
  model.cap = fields.Integer("cap");
  model.share_scale = fields.GetDouble("share_scale");
}

}  // namespace

Json CoverModel::Parameters() const {
  return Json::Object{{"rules", rules},
                      {"literals", literals},
                      {"penalty", penalty},
                      {"reward", reward},
                      {"calibration", calibration},
                      {"rate", rate},
                      {"bonus", bonus},
                      {"cap", cap},
                      {"share_scale", share_scale}};
}

Json CoverModel::ToJson() const {
  Json columns = Json::Array();
  for (const CoverColumn& column : list.columns().columns()) {
    columns.Add(ColumnJson(column));
  }
  Json rule_list = Json::Array();
  for (const ListRule& rule : list.rules()) rule_list.Add(RuleJson(rule));
  return Json::Object{{"format", kFormat},
                      {"version", kVersion},
                      {"model", "greedy-cover"},
                      {"private", is_private},
                      {"guarantee", sotto::ToJson(guarantee)},
                      {"parameters", Parameters()},
                      {"label", Json::Object{{"column", label_column},
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
                   .labels = {.negative = label.Text("negative"),
                              .positive = label.Text("positive")},
                   .label_column = label.Text("column"),
                   .guarantee = std::move(guarantee),
                   .is_private = fields.Flag("private"),
                   .shares = std::move(shares)};
  ReadParameters(parameters, model);
  if (!fault.empty()) return InvalidArgument(fault);
  return model;
}

std::string CoverModel::Text() const {
  const DecisionList shown = shares.empty() ? list.Simplified() : list;
  return shown.Text(labels, shares, share_scale);
}

}  // namespace sotto
