#include "sotto/models/greedy_cover/cover_model.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;
using Type = CoverColumn::Type;

constexpr std::string_view kFormat = "sotto decision list";
constexpr int kVersion = 1;

const char* Name(Type type) {
  switch (type) {
    case Type::kCategory:
      return "category";
    case Type::kHashed:
      return "hashed";
    case Type::kBoolean:
      return "boolean";
    case Type::kNumber:
      break;
  }
  return "number";
}

Json ToJson(const CoverColumn& column) {
  Json json = {{"name", column.name}, {"type", Name(column.type)}};
  if (column.type == Type::kCategory) json["values"] = column.values;
  if (column.type == Type::kHashed) json["buckets"] = column.buckets;
  if (column.type == Type::kNumber) json["cuts"] = column.cuts;
  return json;
}

Json ToJson(const ListRule& rule) {
  Json literals = Json::array();
  for (const Literal& literal : rule.literals) {
    literals.push_back({{"column", literal.atom.column},
                        {"place", literal.atom.place},
                        {"holds", literal.holds}});
  }
  return {{"if", std::move(literals)}, {"then", rule.label ? 1 : 0}};
}

Json ToJson(const Guarantee& guarantee) {
  return {{"notion", ToString(guarantee.notion())},
          {"relation", ToString(guarantee.relation())},
          {"epsilon", guarantee.epsilon()},
          {"delta", guarantee.delta()},
          {"adversary", ToString(guarantee.adversary())},
          {"rounds_per_user", guarantee.rounds_per_user()},
          {"protects", guarantee.protects()}};
}

// The readers throw nlohmann's exceptions on a missing or mistyped key;
// FromJson turns them into an Error.
CoverColumn ReadColumn(const Json& json) {
  CoverColumn column;
  column.name = json.at("name").get<std::string>();
  const auto type = json.at("type").get<std::string>();
  for (const Type known :
       {Type::kHashed, Type::kBoolean, Type::kNumber, Type::kCategory}) {
    column.type = known;
    if (type == Name(known)) break;
  }
  if (column.type == Type::kCategory) {
    json.at("values").get_to(column.values);
  } else if (column.type == Type::kHashed) {
    json.at("buckets").get_to(column.buckets);
  } else if (column.type == Type::kNumber) {
    json.at("cuts").get_to(column.cuts);
  }
  return column;
}

ListRule ReadRule(const Json& json) {
  ListRule rule;
  for (const Json& literal : json.at("if")) {
    rule.literals.push_back({{literal.at("column").get<std::uint32_t>(),
                              literal.at("place").get<std::uint32_t>()},
                             literal.at("holds").get<bool>()});
  }
  rule.label = json.at("then").get<int>() != 0;
  return rule;
}

Result<Guarantee> ReadGuarantee(const Json& json) {
  const auto notion = ParseNotion(json.at("notion").get<std::string>());
  if (!notion) return notion.error();
  const auto relation = ParseRelation(json.at("relation").get<std::string>());
  if (!relation) return relation.error();
  const auto adversary =
      ParseAdversary(json.at("adversary").get<std::string>());
  if (!adversary) return adversary.error();
  return Guarantee::Create(
      {.notion = *notion,
       .relation = *relation,
       .epsilon = json.at("epsilon").get<double>(),
       .delta = json.at("delta").get<double>(),
       .adversary = *adversary,
       .rounds_per_user = json.at("rounds_per_user").get<std::uint64_t>(),
       .protects = json.at("protects").get<std::string>()});
}

Result<DecisionList> ReadList(const Json& json) {
  std::vector<CoverColumn> columns;
  for (const Json& column : json.at("columns")) {
    columns.push_back(ReadColumn(column));
  }
  auto checked = CoverColumns::Create(std::move(columns));
  if (!checked) return checked.error();
  std::vector<ListRule> rules;
  for (const Json& rule : json.at("rules")) rules.push_back(ReadRule(rule));
  return DecisionList::Create(*std::move(checked), std::move(rules),
                              json.at("else").get<int>() != 0);
}

Json ToJson(const RuleShares& shares) {
  if (shares.empty()) return nullptr;
  Json json = Json::array();
  for (const RuleShare& share : shares) {
    json.push_back(
        {{"negative", share.negative}, {"positive", share.positive}});
  }
  return json;
}

Result<RuleShares> ReadShares(const Json& json, std::size_t rules) {
  RuleShares shares;
  const Json& array = json.at("shares");
  if (array.is_null()) return shares;
  for (const Json& share : array) {
    shares.push_back({share.at("negative").get<std::int64_t>(),
                      share.at("positive").get<std::int64_t>()});
  }
  if (shares.size() != rules + 1) {
    return InvalidArgument("there must be a share for each rule and the else");
  }
  return shares;
}

Result<CoverModel> ReadModel(const Json& json) {
  if (json.at("format").get<std::string>() != kFormat) {
    return InvalidArgument("not a decision list");
  }
  if (json.at("version").get<int>() != kVersion) {
    return InvalidArgument("a version of the format that is not known here");
  }
  auto guarantee = ReadGuarantee(json.at("guarantee"));
  if (!guarantee) return guarantee.error();
  auto list = ReadList(json);
  if (!list) return list.error();
  auto shares = ReadShares(json, list->rules().size());
  if (!shares) return shares.error();
  const Json& label = json.at("label");
  const Json& parameters = json.at("parameters");
  return CoverModel{
      .list = *std::move(list),
      .labels = {.negative = label.at("negative").get<std::string>(),
                 .positive = label.at("positive").get<std::string>()},
      .label_column = label.at("column").get<std::string>(),
      .guarantee = *std::move(guarantee),
      .is_private = json.at("private").get<bool>(),
      .rules = parameters.at("rules").get<std::uint32_t>(),
      .literals = parameters.at("literals").get<std::uint32_t>(),
      .penalty = parameters.at("penalty").get<std::uint32_t>(),
      .reward = parameters.at("reward").get<std::uint32_t>(),
      .calibration = parameters.at("calibration").get<std::string>(),
      .rate = parameters.at("rate").get<double>(),
      .bonus = parameters.at("bonus").get<double>(),
      .cap = parameters.at("cap").get<std::int64_t>(),
      .shares = *std::move(shares),
      .share_scale = parameters.at("share_scale").get<double>()};
}

}  // namespace

std::string CoverModel::ToJson() const {
  Json columns = Json::array();
  for (const CoverColumn& column : list.columns().columns()) {
    columns.push_back(sotto::ToJson(column));
  }
  Json rule_list = Json::array();
  for (const ListRule& rule : list.rules()) {
    rule_list.push_back(sotto::ToJson(rule));
  }
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"model", "greedy-cover"},
                     {"private", is_private},
                     {"guarantee", sotto::ToJson(guarantee)},
                     {"parameters",
                      {{"rules", rules},
                       {"literals", literals},
                       {"penalty", penalty},
                       {"reward", reward},
                       {"calibration", calibration},
                       {"rate", rate},
                       {"bonus", bonus},
                       {"cap", cap},
                       {"share_scale", share_scale}}},
                     {"label",
                      {{"column", label_column},
                       {"negative", labels.negative},
                       {"positive", labels.positive}}},
                     {"columns", std::move(columns)},
                     {"rules", std::move(rule_list)},
                     {"else", list.otherwise() ? 1 : 0},
                     {"shares", sotto::ToJson(shares)}};
  // CoverColumns has refused other names than UTF-8; those of labels, set by
  // the caller, are kept readable rather than lost.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<CoverModel> CoverModel::FromJson(std::string_view text,
                                        const std::string& source) {
  try {
    auto model = ReadModel(Json::parse(text));
    if (!model) {
      return InvalidArgument(source + ": " + model.error().message);
    }
    return model;
  } catch (const nlohmann::json::exception& error) {
    return InvalidArgument(source + ": not a model: " + error.what());
  }
}

}  // namespace sotto
