#include "sotto/data/schemas/schema_scaffold.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/decimal.h"

namespace sotto {
namespace {

constexpr std::size_t kMostValues = 1000;
// A label of numbers with more different values than this is a number.
constexpr std::size_t kMostClasses = 20;

// Types, values and range of the values of one column.
class Seen {
 public:
  void Add(std::string_view field) {
    if (IsMissing(field)) return;
    if (values_.size() <= kMostValues) values_.emplace(field);
    double value = 0;
    numbers_ = numbers_ && ParseDecimal(field, value);
    if (!numbers_) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  Result<SchemaColumn> Column(std::string name) const {
    SchemaColumn column{
        std::move(name), SchemaColumn::Type::kNumber, {}, std::nullopt};
    if (values_.empty()) return column;
    if (IsBoolean()) {
      column.type = SchemaColumn::Type::kBoolean;
    } else if (numbers_) {
      column.range = Range();
    } else if (values_.size() > kMostValues) {
      return InvalidArgument("column '" + column.name + "' has more than " +
                             std::to_string(kMostValues) +
                             " different texts: expected a category (--facts "
                             "can name its values)");
    } else {
      column.type = SchemaColumn::Type::kCategory;
      column.values.assign(values_.begin(), values_.end());
    }
    return column;
  }

  Result<LabelType> Label(const std::string& name) const {
    const bool number = numbers_ && values_.size() > kMostClasses;
    if (number) {
      const auto [low, high] = Range();
      return LabelType{
          .kind = LabelType::Kind::kNumber, .low = low, .high = high};
    }
    if (values_.size() < 2 || values_.size() > kMostValues) {
      return InvalidArgument(
          "column '" + name + "' cannot be the label: expected two to " +
          std::to_string(kMostValues) + " different values in the sample");
    }
    return LabelType{.kind = values_.size() == 2 ? LabelType::Kind::kTwo
                                                 : LabelType::Kind::kClasses,
                     .names = {values_.begin(), values_.end()}};
  }

 private:
  bool IsBoolean() const {
    static const std::set<std::string, std::less<>> kWords = {"0", "1", "false",
                                                              "true"};
    return std::ranges::all_of(
        values_, [](const std::string& v) { return kWords.contains(v); });
  }
  std::pair<double, double> Range() const {
    return {low_, low_ < high_ ? high_ : low_ + 1};
  }

  std::set<std::string> values_;
  bool numbers_ = true;
  double low_ = std::numeric_limits<double>::max();
  double high_ = std::numeric_limits<double>::lowest();
};

Status CheckFacts(const std::vector<std::string>& columns,
                  const SchemaFacts& facts) {
  const auto known = [&columns](const std::string& name) {
    return std::ranges::find(columns, name) != columns.end();
  };
  for (const SchemaColumn& fact : facts.columns) {
    if (!known(fact.name)) {
      return InvalidArgument("a fact about '" + fact.name +
                             "', which is no column of the header");
    }
  }
  if (!facts.label.empty() && !known(facts.label)) {
    return InvalidArgument("no column '" + facts.label + "' for the label");
  }
  return Ok();
}

// `column_of` describes a column without a fact.
template <typename GetColumn, typename GetLabel>
Result<Schema> Build(const std::vector<std::string>& columns,
                     const SchemaFacts& facts, GetColumn column_of,
                     GetLabel label_of) {
  SOTTO_TRY(CheckFacts(columns, facts));
  const std::string label = LabelColumn(columns, facts);
  SOTTO_TRY_ASSIGN(const auto user, FindUserColumn(columns, facts.user, label));
  Schema schema;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c == user && facts.Find(columns[c]) != nullptr) {
      return InvalidArgument("a fact about '" + columns[c] +
                             "', which is the user column");
    }
    if (c == user) continue;
    if (columns[c] == label) {
      SOTTO_TRY_ASSIGN(
          auto type, facts.type ? Result<LabelType>(*facts.type) : label_of(c));
      schema.label = SchemaLabel{label, std::move(type)};
      continue;
    }
    const SchemaColumn* fact = facts.Find(columns[c]);
    SOTTO_TRY_ASSIGN(auto column, fact != nullptr ? Result<SchemaColumn>(*fact)
                                                  : column_of(c));
    // Rows of tomorrow may hold what those of today do not.
    column.missing = true;
    column.other = column.type == SchemaColumn::Type::kCategory;
    AddColumn(std::move(column), schema.columns);
  }
  if (schema.columns.empty()) {
    return InvalidArgument("expected a column beside the label");
  }
  return schema;
}

}  // namespace

std::string LabelColumn(const std::vector<std::string>& columns,
                        const SchemaFacts& facts) {
  if (!facts.label.empty()) return facts.label;
  const bool there = std::ranges::find(columns, "y") != columns.end();
  return there ? "y" : "";
}

Result<Schema> Scaffold(const std::vector<std::string>& columns,
                        const SchemaFacts& facts) {
  return Build(
      columns, facts,
      [&columns](std::size_t c) -> Result<SchemaColumn> {
        return SchemaColumn{
            columns[c], SchemaColumn::Type::kNumber, {}, std::nullopt};
      },
      [](std::size_t) -> Result<LabelType> {
        return LabelType{.kind = LabelType::Kind::kTwo, .names = {"0", "1"}};
      });
}

Result<Schema> ScaffoldFromSample(TableReader& sample,
                                  const SchemaFacts& facts) {
  std::vector<Seen> seen(sample.columns().size());
  std::span<const std::string_view> fields;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, sample.Next(fields));
    if (!more) break;
    for (std::size_t c = 0; c < fields.size(); ++c) seen[c].Add(fields[c]);
  }
  const std::vector<std::string>& columns = sample.columns();
  return Build(
      columns, facts, [&](std::size_t c) { return seen[c].Column(columns[c]); },
      [&](std::size_t c) { return seen[c].Label(columns[c]); });
}

}  // namespace sotto
