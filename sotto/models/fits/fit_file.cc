#include "sotto/models/fits/fit_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/models/batch/model_file_version.h"

namespace sotto {
namespace {

Error Bad(const std::string& what) {
  return InvalidArgument("not a model of a private fit: " + what);
}

std::string_view TypeName(FitColumn::Kind kind) {
  switch (kind) {
    case FitColumn::Kind::kNumber:
      return "number";
    case FitColumn::Kind::kBoolean:
      return "boolean";
    case FitColumn::Kind::kCategory:
      return "category";
    case FitColumn::Kind::kPoint:
      return "point";
    case FitColumn::Kind::kHashed:
    case FitColumn::Kind::kCuts:
      break;
  }
  return "";  // greedy-cover writes another file
}

Json ColumnJson(const FitColumn& column) {
  Json json =
      Json::Object{{"name", column.name}, {"type", TypeName(column.kind)}};
  if (column.kind == FitColumn::Kind::kNumber) {
    json["range"] = Json::Array{column.low, column.high};
  } else if (column.kind == FitColumn::Kind::kPoint) {
    json["points"] = column.points;
  } else if (column.kind == FitColumn::Kind::kCategory) {
    json["values"] = Json::Array(column.values.begin(), column.values.end());
  }
  if (column.missing) json["missing"] = true;
  if (column.other) json["other"] = true;
  if (!column.missing_of.empty()) json["missing_of"] = column.missing_of;
  return json;
}

Json Target(std::int32_t to, const FitLabels& labels) {
  if (to >= 0) return Json::Object{{"test", to}};
  return Json::Object{{"label", labels.Name(to == FitTest::kPositive)}};
}

Json TestJson(const FitTest& test, const FitColumns& columns,
              const FitLabels& labels) {
  const FitColumn& column = columns[test.column];
  Json json = Json::Object{{"column", column.name}};
  if (test.kind == Split::Kind::kAtLeast) {
    json["at_least"] = column.NumberAt(test.code);
    json["cell"] = test.code;
  } else {
    json["equals"] = column.kind == FitColumn::Kind::kPoint
                         ? Json(test.code)
                         : Json(column.values[test.code]);
  }
  json["yes"] = Target(test.yes, labels);
  json["no"] = Target(test.no, labels);
  return json;
}

const std::string* TextIn(const Json& owner, std::string_view name) {
  const Json* member = owner.Find(name);
  return member == nullptr ? nullptr : member->text();
}

const Json::Array* ArrayIn(const Json& owner, std::string_view name) {
  const Json* member = owner.Find(name);
  return member == nullptr ? nullptr : member->array();
}

bool IsTrue(const Json& owner, std::string_view name) {
  const Json* member = owner.Find(name);
  return member != nullptr && member->boolean() != nullptr &&
         *member->boolean();
}

Result<FitColumn> ReadColumn(const Json& json) {
  const std::string* name = TextIn(json, "name");
  const std::string* type = TextIn(json, "type");
  if (name == nullptr || type == nullptr) return Bad("a column has no name");
  FitColumn column{.name = *name,
                   .scaled = true,
                   .missing = IsTrue(json, "missing"),
                   .other = IsTrue(json, "other")};
  if (const std::string* source = TextIn(json, "missing_of")) {
    column.missing_of = *source;
  }
  if (*type == "number") {
    const Json::Array* range = ArrayIn(json, "range");
    if (range == nullptr || range->size() != 2 || !(*range)[0].number() ||
        !(*range)[1].number()) {
      return Bad("column " + *name + " has no range");
    }
    column.low = *(*range)[0].number();
    column.high = *(*range)[1].number();
    if (!(column.low < column.high)) return Bad("a range is empty");
  } else if (*type == "boolean") {
    column.kind = FitColumn::Kind::kBoolean;
    column.values = {"false", "true"};
  } else if (*type == "category") {
    column.kind = FitColumn::Kind::kCategory;
    const Json::Array* values = ArrayIn(json, "values");
    if (values == nullptr || values->empty()) return Bad("no values");
    for (const Json& value : *values) {
      if (value.text() == nullptr) return Bad("a value is not a text");
      column.values.push_back(*value.text());
    }
  } else if (*type == "point") {
    column.kind = FitColumn::Kind::kPoint;
    const Json* points = json.Find("points");
    const auto count = points == nullptr ? std::nullopt : points->natural();
    if (!count || *count < 1 || *count > (1U << 30)) return Bad("no points");
    column.points = static_cast<std::uint32_t>(*count);
  } else {
    return Bad("a column is a number, a boolean, a category or a point");
  }
  return column;
}

// Features of columns stand one after the other, as a schema's do.
Result<FitColumns> ReadColumns(const Json& json) {
  const Json::Array* list = ArrayIn(json, "columns");
  if (list == nullptr) return Bad("it has no columns");
  std::vector<FitColumn> columns;
  std::uint32_t next = 0;
  for (const Json& entry : *list) {
    SOTTO_TRY_ASSIGN(auto column, ReadColumn(entry));
    column.feature = next;
    next += column.features();
    columns.push_back(std::move(column));
  }
  return FitColumns(std::move(columns));
}

Result<FitLabels> ReadLabels(const Json& json) {
  const Json* label = json.Find("label");
  const std::string* negative =
      label == nullptr ? nullptr : TextIn(*label, "negative");
  const std::string* positive =
      label == nullptr ? nullptr : TextIn(*label, "positive");
  if (negative == nullptr || positive == nullptr || *negative == *positive) {
    return Bad("expected two names of labels");
  }
  FitLabels labels{.negative = *negative, .positive = *positive};
  if (const std::string* column = TextIn(*label, "column")) {
    labels.column = *column;
  }
  return labels;
}

std::optional<std::int32_t> ReadTarget(const Json* json,
                                       const FitLabels& labels) {
  if (json == nullptr) return std::nullopt;
  if (const std::string* label = TextIn(*json, "label")) {
    if (*label == labels.negative) return FitTest::kNegative;
    if (*label == labels.positive) return FitTest::kPositive;
    return std::nullopt;
  }
  const Json* test = json->Find("test");
  const auto place = test == nullptr ? std::nullopt : test->natural();
  if (!place || *place > (1U << 20)) return std::nullopt;
  return static_cast<std::int32_t>(*place);
}

std::optional<std::uint32_t> ReadCode(const Json& json,
                                      const FitColumn& column) {
  if (column.kind == FitColumn::Kind::kNumber) {
    const Json* cell = json.Find("cell");
    const auto code = cell == nullptr ? std::nullopt : cell->natural();
    if (!code || *code > 0xffffffffU) return std::nullopt;
    return static_cast<std::uint32_t>(*code);
  }
  const std::string* value = TextIn(json, "equals");
  if (value == nullptr) return std::nullopt;
  const auto place = std::ranges::find(column.values, *value);
  if (place == column.values.end()) return std::nullopt;
  return static_cast<std::uint32_t>(place - column.values.begin());
}

Result<FitTest> ReadTest(const Json& json, const FitColumns& columns,
                         const FitLabels& labels) {
  const std::string* name = TextIn(json, "column");
  const auto column = name == nullptr ? std::nullopt : columns.Find(*name);
  if (!column) return Bad("a test names no column");
  const auto code = ReadCode(json, columns[*column]);
  const auto yes = ReadTarget(json.Find("yes"), labels);
  const auto no = ReadTarget(json.Find("no"), labels);
  if (!code || !yes || !no) return Bad("a test of " + *name + " is damaged");
  return FitTest{.kind = columns[*column].kind == FitColumn::Kind::kNumber
                             ? Split::Kind::kAtLeast
                             : Split::Kind::kEquals,
                 .column = static_cast<std::uint32_t>(*column),
                 .code = *code,
                 .yes = *yes,
                 .no = *no};
}

Result<FitHypothesis> ReadHypothesis(const Json& json,
                                     const FitColumns& columns,
                                     const FitLabels& labels) {
  if (const std::string* table = TextIn(json, "table")) {
    if (columns.size() != 1 || columns[0].kind != FitColumn::Kind::kPoint ||
        table->size() != columns[0].points) {
      return Bad("the table does not fit its points");
    }
    std::vector<bool> bits;
    for (const char c : *table) bits.push_back(c == '1');
    return FitHypothesis::Table(std::move(bits));
  }
  if (const std::string* always = TextIn(json, "always")) {
    return FitHypothesis::Constant(*always == labels.positive);
  }
  const Json::Array* list = ArrayIn(json, "tests");
  if (list == nullptr) return Bad("it has no tests");
  std::vector<FitTest> tests;
  for (const Json& entry : *list) {
    SOTTO_TRY_ASSIGN(const auto test, ReadTest(entry, columns, labels));
    tests.push_back(test);
  }
  if (!FitHypothesis::Good(tests, columns)) {
    return Bad("its tests do not lead to labels");
  }
  return FitHypothesis(std::move(tests));
}

}  // namespace

FitFile FitFile::Narrow() const {
  std::vector<std::uint32_t> places(columns.size(), 0);
  std::vector<FitColumn> kept;
  std::vector<FitTest> tests = hypothesis.tests();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool asked = !hypothesis.table().empty() ||
                       std::ranges::any_of(
                           tests, [&](const auto& t) { return t.column == c; });
    if (!asked) continue;
    places[c] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(columns[c]);
  }
  for (FitTest& test : tests) test.column = places[test.column];
  FitFile narrow{.fit = fit,
                 .columns = FitColumns(std::move(kept)),
                 .hypothesis = hypothesis,
                 .labels = labels};
  if (!tests.empty()) narrow.hypothesis = FitHypothesis(std::move(tests));
  return narrow;
}

Json FitFile::ToJson() const {
  const FitFile narrow = Narrow();
  Json list = Json::Array{};
  for (const FitColumn& column : narrow.columns.all()) {
    list.Add(ColumnJson(column));
  }
  // All that depends on data is one member: the others are always there.
  Json json = Json::Object{{"columns", std::move(list)}};
  if (!hypothesis.table().empty()) {
    std::string bits;
    for (const bool bit : hypothesis.table()) bits += bit ? '1' : '0';
    json["table"] = std::move(bits);
  } else if (hypothesis.tests().empty()) {
    json["always"] = labels.Name(hypothesis.root() == FitTest::kPositive);
  } else {
    Json tests = Json::Array{};
    for (const FitTest& test : narrow.hypothesis.tests()) {
      tests.Add(TestJson(test, narrow.columns, labels));
    }
    json["tests"] = std::move(tests);
  }
  return Json::Object{{"version", kModelFileVersion},
                      {"fit", fit},
                      {"label", Json::Object{{"column", labels.column},
                                             {"negative", labels.negative},
                                             {"positive", labels.positive}}},
                      {"hypothesis", std::move(json)}};
}

Result<FitFile> FitFile::FromJson(const Json& json) {
  SOTTO_TRY(CheckModelFileVersion(json));
  const std::string* name = TextIn(json, "fit");
  if (name == nullptr) return Bad("it does not say which fit");
  const Json* inner = json.Find("hypothesis");
  if (inner == nullptr) return Bad("it has no hypothesis");
  SOTTO_TRY_ASSIGN(auto columns, ReadColumns(*inner));
  SOTTO_TRY_ASSIGN(auto labels, ReadLabels(json));
  SOTTO_TRY_ASSIGN(auto hypothesis, ReadHypothesis(*inner, columns, labels));
  return FitFile{.fit = *name,
                 .columns = std::move(columns),
                 .hypothesis = std::move(hypothesis),
                 .labels = std::move(labels)};
}

}  // namespace sotto
