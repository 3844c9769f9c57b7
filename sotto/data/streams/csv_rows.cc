#include "sotto/data/streams/csv_rows.h"

#include <algorithm>
#include <utility>

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/csv_fields.h"

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
  return InvalidArgument("no column " + Shown(name) + " for " + purpose +
                         "; the columns are " + ShownList(names));
}

std::string Named(const std::string& column) {
  return "column " + Shown(column);
}

}  // namespace

namespace {

// The column that marks adversarial rows.
const std::string kHonest = "honest";

bool MarksHonest(const CsvRows::Params& params) {
  const auto& schema = params.encoding.schema;
  return params.label != kHonest && params.user != kHonest &&
         !(schema && schema->Find(kHonest));
}

// The columns of features: neither label nor user nor the honest mark.
std::vector<std::string> FeatureColumns(const CsvRows::Params& params) {
  const std::string user = params.user.empty() ? "user" : params.user;
  std::vector<std::string> features;
  for (const std::string& column : params.columns) {
    if (column == params.label || column == user) continue;
    if (column == kHonest && MarksHonest(params)) continue;
    features.push_back(column);
  }
  return features;
}

void SetHonest(std::string_view field, Round& round) {
  if (field == "0" || field == "1") round.honest = field == "1";
}

Result<Encoding> MakeEncoding(const CsvRows::Params& params) {
  std::vector<std::string> names = FeatureColumns(params);
  EncodingParams encoding = params.encoding;
  const std::string many =
      "too many features: " + std::to_string(names.size()) + " columns, ";
  if (!encoding.schema && names.size() > encoding.max_per_row) {
    return InvalidArgument(many + "at most " +
                           std::to_string(encoding.max_per_row));
  }
  if (!encoding.schema && encoding.features &&
      *encoding.features < names.size()) {
    return InvalidArgument(many + "but " + std::to_string(*encoding.features) +
                           " were declared");
  }
  return Encoding::Create(std::move(encoding), std::move(names));
}

}  // namespace

Result<std::unique_ptr<CsvRows>> CsvRows::Create(Params params) {
  const auto& schema = params.encoding.schema;
  const SchemaLabel* label =
      schema && schema->label ? &*schema->label : nullptr;
  if (params.label.empty())
    params.label = label != nullptr ? label->column : "y";
  if (label != nullptr && label->column != params.label) label = nullptr;
  SOTTO_TRY_ASSIGN(auto type, ChooseLabels(params.labels, label));
  SOTTO_TRY_ASSIGN(auto encoding, MakeEncoding(params));
  std::unique_ptr<CsvRows> rows(new CsvRows(
      std::move(encoding),
      {params.label, LabelParser(std::move(type), params.label_reading)}));
  SOTTO_TRY(rows->SetRoles(params));
  rows->columns_ = std::move(params.columns);
  SOTTO_TRY(rows->SetSchemaFields());
  return rows;
}

Status CsvRows::SetRoles(const Params& params) {
  label_field_ = Place(params.columns, params.label);
  if (!label_field_ && !params.label_optional) {
    return NoColumn(params.columns, params.label, "the label");
  }
  SOTTO_TRY_ASSIGN(user_field_,
                   FindUserColumn(params.columns, params.user, params.label));
  roles_.assign(params.columns.size(), Role::kFeature);
  if (user_field_) roles_[*user_field_] = Role::kUser;
  if (label_field_) roles_[*label_field_] = Role::kLabel;
  if (MarksHonest(params)) honest_field_ = Place(params.columns, kHonest);
  if (honest_field_) roles_[*honest_field_] = Role::kHonest;
  std::uint32_t next = 0;
  for (const Role role : roles_) {
    index_.push_back(role == Role::kFeature ? next++ : 0);
  }
  return Ok();
}

Status CsvRows::SetSchemaFields() {
  if (encoding_.schema() == nullptr) return Ok();
  for (const SchemaColumn& column : encoding_.schema()->columns) {
    const auto field = Place(columns_, column.field());
    if (!field) return NoColumn(columns_, column.field(), "the schema");
    if (roles_[*field] != Role::kFeature) {
      return InvalidArgument("column " + Shown(column.field()) +
                             " is a feature in the schema, but also the " +
                             (field == label_field_ ? "label" : "user"));
    }
    schema_field_.push_back(*field);
  }
  return Ok();
}

void CsvRows::Locate(std::uint32_t index, RowError& fault) const {
  std::uint32_t first = 0;
  for (std::size_t c = 0; c < schema_field_.size(); ++c) {
    first += encoding_.schema()->columns[c].features();
    if (index < first) return fault.AtColumn(Named(columns_[schema_field_[c]]));
  }
  for (std::size_t c = 0; c < columns_.size() && schema_field_.empty(); ++c) {
    if (roles_[c] == Role::kFeature && index_[c] == index) {
      return fault.AtColumn(Named(columns_[c]));
    }
  }
}

bool CsvRows::Parse(std::string_view line, Round& round, RowError& fault) {
  const bool good = encoding_.schema() != nullptr
                        ? ParseWithSchema(line, round, fault)
                        : ParsePlain(line, round, fault);
  if (good && !(round.x.empty() && !round.y)) return true;
  const bool empty = IsEmptyRow(line);
  if (empty) round.presence = Presence::kAbsent;
  if (empty || !good)
    round.user = user_field_ ? CsvFieldAt(line, *user_field_) : "";
  return empty || good;
}

// Nothing at all, or as many fields as there should be, and all of them empty.
bool CsvRows::IsEmptyRow(std::string_view line) {
  if (IsBlankLine(line)) return true;
  RowError fault;
  return SplitCsv(line, fields_, scratch_, fault) &&
         fields_.size() == columns_.size() && FieldsAreEmpty();
}

// All but perhaps the user's.
bool CsvRows::FieldsAreEmpty() const {
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    if (!fields_[c].empty() && c != user_field_) return false;
  }
  return true;
}

bool CsvRows::ParsePlain(std::string_view line, Round& round, RowError& fault) {
  hashed_ = false;
  CsvCursor cursor(line, scratch_);
  const std::size_t count = columns_.size();
  std::size_t c = 0;
  for (; c < count && !cursor.done(); ++c) {
    double value = 0;
    if (roles_[c] == Role::kFeature && cursor.TakeNumber(value)) {
      round.x.push_back({index_[c], value});
      continue;
    }
    std::string_view field;
    if (!cursor.Take(field, fault) || !ParseField(c, field, round, fault)) {
      fault.AtColumn(Named(columns_[c]));
      return ExplainCount(line, fault);
    }
  }
  if (c < count || !cursor.done()) return ExplainCount(line, fault);
  if (!hashed_ || SortFeatures(round.x, sorting_)) return true;
  fault.Say(FaultReason::kNotFinite, "values add up to infinity",
            "finite sums");
  return false;
}

// A field too few or too many explains most other faults of its row, so it is
// what is reported. Returns false.
bool CsvRows::ExplainCount(std::string_view line, RowError& fault) {
  RowError other;
  if (!SplitCsv(line, fields_, scratch_, other)) {
    if (fields_.size() <= columns_.size()) return false;
    fault = other;
  } else if (fields_.size() != columns_.size()) {
    fault = WrongFieldCount(fields_.size(), columns_.size());
  }
  return false;
}

bool CsvRows::ParseField(std::size_t c, std::string_view field, Round& round,
                         RowError& fault) {
  switch (roles_[c]) {
    case Role::kLabel:
      return label_.parser.Parse(field, round.y, fault);
    case Role::kUser:
      round.user = field;
      return true;
    case Role::kHonest:
      SetHonest(field, round);
      return true;
    case Role::kFeature:
      break;
  }
  return HashField(c, field, round.x, fault);
}

// A number in quotes is a number; anything else is a category.
bool CsvRows::HashField(std::size_t c, std::string_view field, FeatureVector& x,
                        RowError& fault) {
  double value = 0;
  if (ParseDecimal(field, value)) {
    x.push_back({index_[c], value});
    return true;
  }
  hashed_ = true;
  return encoding_.TextFeature(columns_[c], field, x, fault);
}

bool CsvRows::ParseWithSchema(std::string_view line, Round& round,
                              RowError& fault) {
  if (!SplitCsv(line, fields_, scratch_, fault)) {
    if (fields_.size() <= columns_.size()) {
      fault.AtColumn(Named(columns_[fields_.size() - 1]));
    }
    return false;
  }
  if (fields_.size() != columns_.size()) {
    fault = WrongFieldCount(fields_.size(), columns_.size());
    return false;
  }
  if (user_field_) round.user = fields_[*user_field_];
  if (honest_field_) SetHonest(fields_[*honest_field_], round);
  // Before a category that may be the empty string.
  if (FieldsAreEmpty()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  if (label_field_ &&
      !label_.parser.Parse(fields_[*label_field_], round.y, fault)) {
    fault.AtColumn(Named(columns_[*label_field_]));
    return false;
  }
  for (std::size_t c = 0; c < schema_field_.size(); ++c) {
    const std::size_t field = schema_field_[c];
    if (encoding_.Column(c, fields_[field], round.x, fault)) continue;
    fault.AtColumn(Named(columns_[field]));
    return false;
  }
  return true;
}

}  // namespace sotto
