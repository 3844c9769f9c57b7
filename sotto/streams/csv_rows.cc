#include "sotto/streams/csv_rows.h"

#include <algorithm>
#include <utility>

#include "sotto/streams/csv_fields.h"

namespace sotto {
namespace {

std::optional<std::size_t> Place(const std::vector<std::string>& names,
                                 std::string_view name) {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return std::nullopt;
  return static_cast<std::size_t>(place - names.begin());
}

Error NoColumn(const std::vector<std::string>& names, const std::string& name,
               const std::string& purpose) {
  constexpr std::size_t kMost = 12;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) list += ", ...";
  return InvalidArgument("no column " + Shown(name) + " for " + purpose +
                         "; the columns are " + list);
}

std::string Named(const std::string& column) {
  return "column " + Shown(column);
}

}  // namespace

Result<std::unique_ptr<CsvRows>> CsvRows::Create(Params params) {
  const auto& schema = params.encoding.schema;
  if (params.label.empty()) {
    params.label = schema && schema->label ? schema->label->column : "y";
  }
  if (!params.labels && schema && schema->label &&
      schema->label->column == params.label) {
    params.labels.emplace(schema->label->negative, schema->label->positive);
  }
  // What is neither label nor user is a feature.
  const std::string user = params.user.empty() ? "user" : params.user;
  std::uint32_t dense = 0;
  for (const std::string& column : params.columns) {
    if (column != params.label && column != user) ++dense;
  }
  if (!schema && dense > params.encoding.max_per_row) {
    return InvalidArgument("too many features: " + std::to_string(dense) +
                           " columns, at most " +
                           std::to_string(params.encoding.max_per_row));
  }
  if (!schema && params.encoding.features &&
      *params.encoding.features < dense) {
    return InvalidArgument(
        "too many features: " + std::to_string(dense) + " columns, but " +
        std::to_string(*params.encoding.features) + " were declared");
  }
  auto encoding = Encoding::Create(std::move(params.encoding), dense);
  if (!encoding) return encoding.error();
  std::unique_ptr<CsvRows> rows(
      new CsvRows(*std::move(encoding), LabelWords(std::move(params.labels))));
  if (const Status roles = rows->SetRoles(params); !roles) return roles.error();
  rows->columns_ = std::move(params.columns);
  if (const Status set = rows->SetSchemaFields(); !set) return set.error();
  return rows;
}

Status CsvRows::SetRoles(const Params& params) {
  label_ = Place(params.columns, params.label);
  if (!label_ && !params.label_optional) {
    return NoColumn(params.columns, params.label, "the label");
  }
  user_ = Place(params.columns, params.user.empty() ? "user" : params.user);
  if (!user_ && !params.user.empty()) {
    return NoColumn(params.columns, params.user, "the user");
  }
  roles_.assign(params.columns.size(), Role::kFeature);
  if (user_) roles_[*user_] = Role::kUser;
  if (label_) roles_[*label_] = Role::kLabel;
  std::uint32_t next = 0;
  for (const Role role : roles_) {
    index_.push_back(role == Role::kFeature ? next++ : 0);
  }
  return Ok();
}

Status CsvRows::SetSchemaFields() {
  if (encoding_.schema() == nullptr) return Ok();
  for (const SchemaColumn& column : encoding_.schema()->columns) {
    const auto field = Place(columns_, column.name);
    if (!field) return NoColumn(columns_, column.name, "the schema");
    if (roles_[*field] != Role::kFeature) {
      return InvalidArgument("column " + Shown(column.name) +
                             " is a feature in the schema, but also the " +
                             (field == label_ ? "label" : "user"));
    }
    schema_field_.push_back(*field);
  }
  return Ok();
}

std::string CsvRows::Where(std::uint32_t index) const {
  std::uint32_t first = 0;
  for (std::size_t c = 0; c < schema_field_.size(); ++c) {
    const std::size_t values = encoding_.schema()->columns[c].values.size();
    first += static_cast<std::uint32_t>(std::max<std::size_t>(values, 1));
    if (index < first) return Named(columns_[schema_field_[c]]);
  }
  for (std::size_t c = 0; c < columns_.size() && schema_field_.empty(); ++c) {
    if (roles_[c] == Role::kFeature && index_[c] == index) {
      return Named(columns_[c]);
    }
  }
  return RowFormat::Where(index);
}

RowFormat::Outcome CsvRows::Parse(std::string_view line, Example& example,
                                  RowFault& fault) {
  if (IsBlankLine(line)) return Outcome::kBlank;
  example.x.clear();
  example.y = std::nullopt;
  example.user.clear();
  const bool good = encoding_.schema() != nullptr
                        ? ParseWithSchema(line, example, fault)
                        : ParsePlain(line, example, fault);
  return good ? Outcome::kExample : Outcome::kFault;
}

bool CsvRows::ParsePlain(std::string_view line, Example& example,
                         RowFault& fault) {
  hashed_ = false;
  CsvCursor cursor(line, scratch_);
  const std::size_t count = columns_.size();
  std::size_t c = 0;
  for (; c < count && !cursor.done(); ++c) {
    double value = 0;
    if (roles_[c] == Role::kFeature && cursor.TakeNumber(value)) {
      example.x.push_back({index_[c], value});
      continue;
    }
    std::string_view field;
    if (!cursor.Take(field, fault) || !ParseField(c, field, example, fault)) {
      fault.where = Named(columns_[c]);
      return ExplainCount(line, fault);
    }
  }
  if (c < count || !cursor.done()) return ExplainCount(line, fault);
  if (!hashed_ || SortFeatures(example.x, sorting_)) return true;
  fault = {FaultReason::kNotFinite, "", "values add up to infinity"};
  return false;
}

// A field too few or too many explains most other faults of its row, so it is
// what is reported. Returns false.
bool CsvRows::ExplainCount(std::string_view line, RowFault& fault) {
  RowFault other;
  if (!SplitCsv(line, fields_, scratch_, other)) {
    if (fields_.size() <= columns_.size()) return false;
    fault = other;
  } else if (fields_.size() != columns_.size()) {
    fault = WrongFieldCount(fields_.size(), columns_.size());
  }
  return false;
}

bool CsvRows::ParseField(std::size_t c, std::string_view field,
                         Example& example, RowFault& fault) {
  switch (roles_[c]) {
    case Role::kLabel:
      return labels_.Parse(field, example.y, fault);
    case Role::kUser:
      example.user = field;
      return true;
    case Role::kFeature:
      break;
  }
  return HashField(c, field, example.x, fault);
}

// A number in quotes is a number; anything else is a category.
bool CsvRows::HashField(std::size_t c, std::string_view field, FeatureVector& x,
                        RowFault& fault) {
  double value = 0;
  if (ParseDecimal(field, value)) {
    x.push_back({index_[c], value});
    return true;
  }
  if (SpellsNotFinite(field)) {
    fault.reason = FaultReason::kNotFinite;
    fault.message = Shown(field) + ": expected a finite number";
    return false;
  }
  if (!encoding_.has_buckets()) {
    fault.reason = FaultReason::kNotNumber;
    fault.message = Shown(field) +
                    ": expected a number (strings need a schema or hash bits)";
    return false;
  }
  x.push_back({encoding_.Bucket(columns_[c], field), 1.0});
  hashed_ = true;
  return true;
}

bool CsvRows::ParseWithSchema(std::string_view line, Example& example,
                              RowFault& fault) {
  if (!SplitCsv(line, fields_, scratch_, fault)) {
    fault.where = fields_.size() > columns_.size()
                      ? ""
                      : Named(columns_[fields_.size() - 1]);
    return false;
  }
  if (fields_.size() != columns_.size()) {
    fault = WrongFieldCount(fields_.size(), columns_.size());
    return false;
  }
  if (user_) example.user = fields_[*user_];
  if (label_ && !labels_.Parse(fields_[*label_], example.y, fault)) {
    fault.where = Named(columns_[*label_]);
    return false;
  }
  for (std::size_t c = 0; c < schema_field_.size(); ++c) {
    const std::size_t field = schema_field_[c];
    if (encoding_.Column(c, fields_[field], example.x, fault)) continue;
    fault.where = Named(columns_[field]);
    return false;
  }
  return true;
}

}  // namespace sotto
