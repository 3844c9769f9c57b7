#include "sotto/data/streams/jsonl_rows.h"

// Errors are values here as everywhere.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "sotto/data/streams/decimal.h"
#include "sotto/data/streams/name_set.h"

namespace sotto {
namespace {

namespace ondemand = simdjson::ondemand;
using Type = ondemand::json_type;

constexpr int kMaxDepth = 64;  // of values that are passed over

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A token as the package gives it, without the blanks behind it.
std::string_view Trimmed(std::string_view token) {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

// A number as JSON writes it: no plus, no leading zero, digits around a point.
// (The package's own get_double is wrong for "0." and more than 19 digits.)
bool ParseJsonNumber(std::string_view token, double& value) {
  const char* const end = token.data() + token.size();
  const char* at = token.data();
  if (at != end && *at == '-') ++at;
  if (at == end || !IsDigit(*at)) return false;
  if (*at == '0' && at + 1 != end && IsDigit(at[1])) return false;
  const char* point = at;
  while (point != end && IsDigit(*point)) ++point;
  if (point != end && *point == '.' &&
      (point + 1 == end || !IsDigit(point[1]))) {
    return false;
  }
  const char* stop = ParseDecimal(token.data(), end, value);
  return stop == end ||
         (stop != nullptr &&
          Trimmed({stop, static_cast<std::size_t>(end - stop)}).empty());
}

std::string_view FindKind(Type type) {
  switch (type) {
    case Type::array:
      return "a list";
    case Type::object:
      return "an object";
    case Type::number:
      return "a number";
    case Type::string:
      return "a string";
    case Type::boolean:
      return "true or false";
    case Type::null:
      break;
  }
  return "null";
}

}  // namespace

// Walks over one line; no tree is built. Every step returns whether to
// continue, and has said why not.
class JsonlRows::Parser {
 public:
  Parser(const Encoding& encoding, const LabelParser& labels)
      : encoding_(encoding), labels_(labels) {
    if (encoding.schema() == nullptr) return;
    const auto& columns = encoding.schema()->columns;
    marks_.resize(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto [place, first] =
          columns_.emplace(columns[c].field(), fields_.size());
      if (first) {
        fields_.push_back(c);
      } else {
        marks_[fields_[place->second]] = c;
      }
    }
    seen_.resize(fields_.size());
  }

  // `live` is null for lines of a stream.
  bool Parse(std::string_view line, Round& round, LiveFields* live,
             RowError& fault) {
    round_ = &round;
    live_ = live;
    fault_ = &fault;
    if (live != nullptr) live->label = line.starts_with(kLabelStart);
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      round.presence = Presence::kAbsent;
      return true;
    }
    if (Load(line) && Members() && Complete()) return true;
    FindNames();
    return false;
  }

 private:
  // The package reads a little beyond the end.
  bool Load(std::string_view line) {
    size_ = line.size();
    if (buffer_.size() < size_ + simdjson::SIMDJSON_PADDING) {
      buffer_.resize(2 * size_ + simdjson::SIMDJSON_PADDING);
    }
    std::memcpy(buffer_.data(), line.data(), size_);
    std::memset(buffer_.data() + size_, ' ', simdjson::SIMDJSON_PADDING);
    return Again();
  }
  bool Again() {
    const auto error =
        parser_.iterate(buffer_.data(), size_, buffer_.size()).get(document_);
    return error == simdjson::SUCCESS || Unreadable(error);
  }

  // Not JSON, and no place in it to speak of.
  bool Unreadable(simdjson::error_code error) {
    fault_->column.clear();
    fault_->where.clear();
    std::string found = "half of something";
    if (error == simdjson::UTF8_ERROR) found = "text that is not UTF-8";
    if (error == simdjson::UNCLOSED_STRING) found = "a string without an end";
    return Fail(FaultReason::kSyntax, found, "JSON");
  }
  // Not JSON from where the document is now.
  bool Broken(simdjson::error_code error) {
    const char* at = nullptr;
    if (error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT ||
        document_.current_location().get(at)) {
      return Unreadable(error);
    }
    const auto place = static_cast<std::size_t>(at - buffer_.data());
    if (place >= size_) return Unreadable(error);
    fault_->column.clear();
    fault_->At("character " + std::to_string(place + 1));
    constexpr std::size_t kShown = 12;
    return Fail(FaultReason::kSyntax,
                Shown({at, std::min(size_ - place, kShown)}), "JSON");
  }
  bool Fail(FaultReason reason, std::string_view found,
            const std::string& expected) {
    fault_->Set(reason, std::string(found), expected);
    return false;
  }
  bool At(bool good, const char* place) {
    if (!good) fault_->AtColumn(place);
    return good;
  }
  // Fails for a malformed number or an unknown word.
  bool BadToken(ondemand::value& value) {
    std::string_view token = Trimmed(value.raw_json_token());
    const bool not_finite = SpellsNotFinite(token);
    return Fail(not_finite ? FaultReason::kNotFinite : FaultReason::kSyntax,
                Shown(token), not_finite ? "a finite number" : "JSON");
  }

  bool Members() {
    found_x_ = false;
    labelled_ = false;
    keys_.Clear();
    ondemand::object object;
    if (const auto error = document_.get_object().get(object)) {
      Type type = Type::null;
      if (error != simdjson::INCORRECT_TYPE || document_.type().get(type)) {
        return Broken(error);
      }
      return Fail(FaultReason::kSyntax, FindKind(type), "an object");
    }
    const bool read =
        EachMember(object, [this](std::string_view key, ondemand::value value) {
          if (keys_.Insert(key)) return Member(key, value);
          return Fail(FaultReason::kSyntax, "the key " + Shown(key) + " twice",
                      "each key once");
        });
    return read && (AtEnd() || Broken(simdjson::TRAILING_CONTENT));
  }
  // Calls visit(key, value) for each member until one returns false.
  template <typename Visit>
  bool EachMember(ondemand::object& object, const Visit& visit) {
    for (auto item : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto error = std::move(item).get(field)) return Broken(error);
      if (const auto error = field.unescaped_key().get(key)) {
        return Broken(error);
      }
      if (!visit(key, field.value())) return false;
    }
    return true;
  }
  // Returns true if nothing follows the object.
  bool AtEnd() {
    const char* rest = nullptr;
    return document_.current_location().get(rest) != simdjson::SUCCESS;
  }

  bool Member(std::string_view key, ondemand::value value) {
    if (key == "x") return Features(value);
    if (key == "y") return At(GetLabel(value), "\"y\"");
    if (key == "user") return At(ToText(value, round_->user), "\"user\"");
    if (live_ != nullptr && key == "id") return At(ReadId(value), "\"id\"");
    if (live_ != nullptr && key == "ticket") {
      live_->label = true;
      return At(ToText(value, live_->ticket), "\"ticket\"");
    }
    return PassOver(value, 1);
  }

  // A string, or null for none.
  bool ToText(ondemand::value& value, std::string& text) {
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    std::string_view found;
    if (type == Type::string) {
      if (const auto error = value.get_string().get(found)) {
        return Broken(error);
      }
      text = found;
      return true;
    }
    if (type == Type::null) return IsNull(value);
    return Fail(FaultReason::kSyntax, FindKind(type), "a string");
  }
  bool IsNull(ondemand::value& value) {
    bool null = false;
    return (value.is_null().get(null) == simdjson::SUCCESS && null) ||
           BadToken(value);
  }
  // Kept as it is, to be sent back.
  bool ReadId(ondemand::value& value) {
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    const std::string_view token = Trimmed(value.raw_json_token());
    std::string_view text;
    double number = 0;
    if (type == Type::string) {
      if (const auto error = value.get_string().get(text)) return Broken(error);
    } else if (type == Type::number) {
      if (!ParseJsonNumber(token, number)) return BadToken(value);
    } else {
      return Fail(FaultReason::kSyntax, FindKind(type), "a string or a number");
    }
    if (token.size() > kMaxIdBytes) {
      return Fail(FaultReason::kSyntax, "a longer one",
                  "an id of at most " + std::to_string(kMaxIdBytes) + " bytes");
    }
    live_->id = token;
    return true;
  }

  bool GetLabel(ondemand::value& value) {
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    std::string_view text;
    double number = 0;
    bool yes = false;
    switch (type) {
      case Type::null:
        return IsNull(value);
      case Type::number:
        text = Trimmed(value.raw_json_token());
        if (!ParseJsonNumber(text, number)) return BadToken(value);
        break;
      case Type::boolean:
        if (value.get_bool().get(yes)) return BadToken(value);
        text = yes ? "true" : "false";
        break;
      case Type::string:
        if (const auto error = value.get_string().get(text)) {
          return Broken(error);
        }
        break;
      case Type::array:
      case Type::object:
        return Fail(FaultReason::kSyntax, FindKind(type), "one value");
    }
    if (!labels_.Parse(text, round_->y, *fault_)) return false;
    labelled_ = round_->y.has_value();
    return true;
  }

  // Nothing of it is used, but it must be JSON.
  bool PassOver(ondemand::value value, int depth) {
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    std::string_view text;
    double number = 0;
    bool yes = false;
    switch (type) {
      case Type::null:
        return IsNull(value);
      case Type::boolean:
        return value.get_bool().get(yes) == simdjson::SUCCESS ||
               BadToken(value);
      case Type::number:
        return ParseJsonNumber(value.raw_json_token(), number) ||
               BadToken(value);
      case Type::string:
        if (const auto error = value.get_string().get(text)) {
          return Broken(error);
        }
        return true;
      case Type::array:
      case Type::object:
        break;
    }
    if (depth >= kMaxDepth) {
      return Fail(FaultReason::kSyntax, "values in values",
                  "at most " + std::to_string(kMaxDepth) + " of them");
    }
    return type == Type::array ? PassOverList(value, depth)
                               : PassOverObject(value, depth);
  }
  bool PassOverList(ondemand::value& value, int depth) {
    ondemand::array list;
    if (const auto error = value.get_array().get(list)) return Broken(error);
    for (auto item : list) {
      ondemand::value element;
      if (const auto error = item.get(element)) return Broken(error);
      if (!PassOver(element, depth + 1)) return false;
    }
    return true;
  }
  bool PassOverObject(ondemand::value& value, int depth) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return Broken(error);
    return EachMember(object,
                      [this, depth](std::string_view, ondemand::value member) {
                        return PassOver(member, depth + 1);
                      });
  }

  bool Features(ondemand::value& value) {
    Type type = Type::null;
    if (value.type().get(type)) return At(BadToken(value), "\"x\"");
    if (type == Type::null) return At(IsNull(value), "\"x\"");
    found_x_ = true;
    ++row_;
    found_columns_ = 0;
    if (type == Type::array) return List(value);
    if (type == Type::object) return Object(value);
    return At(Single(value), "\"x\"");
  }

  bool List(ondemand::value& value) {
    ondemand::array list;
    if (const auto error = value.get_array().get(list)) return Broken(error);
    const std::uint32_t dense =
        encoding_.schema() == nullptr ? encoding_.dense() : 0;
    const std::uint32_t most = std::min(dense, encoding_.max_per_row());
    std::uint32_t place = 0;
    for (auto item : list) {
      ondemand::value element;
      if (const auto error = item.get(element)) return Broken(error);
      double number = 0;
      if (place < most && ParseJsonNumber(element.raw_json_token(), number)) {
        round_->x.push_back({place++, number});
      } else if (!Element(place++, element)) {
        fault_->column = "\"x\"";
        fault_->At("\"x\", element " + std::to_string(place));
        return false;
      }
    }
    return true;
  }

  bool Object(ondemand::value& value) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return Broken(error);
    names_.Clear();
    return EachMember(object,
                      [this](std::string_view name, ondemand::value member) {
                        if (Named(name, member)) return true;
                        Locate(name);
                        return false;
                      });
  }

  // A name of the schema is public, any other is the row's own.
  void Locate(std::string_view name) {
    fault_->At("\"x\", column " + Shown(name));
    fault_->column = columns_.contains(name) ? fault_->where : "\"x\"";
  }

  bool Named(std::string_view name, ondemand::value value) {
    if (!names_.Insert(name)) {
      return Fail(FaultReason::kSyntax, "a second value", "one");
    }
    if (encoding_.schema() != nullptr) {
      const auto column = columns_.find(name);
      // As in csv.
      if (column == columns_.end()) return PassOver(value, 1);
      return SchemaValue(column->second, value);
    }
    if (name.empty()) return Fail(FaultReason::kSyntax, "no name", "a name");
    return Plain(value, name, std::nullopt);
  }

  bool Single(ondemand::value& value) {
    return encoding_.schema() != nullptr ? SchemaValue(0, value)
                                         : Plain(value, "x", 0);
  }
  bool Element(std::uint32_t place, ondemand::value& value) {
    if (encoding_.schema() == nullptr) {
      return Plain(value, std::to_string(place), place);
    }
    if (place < seen_.size()) return SchemaValue(place, value);
    return Fail(FaultReason::kFields, "too many values",
                std::to_string(seen_.size()));
  }

  // Without a schema: a number goes to its place, or by its name.
  bool Plain(ondemand::value& value, std::string_view name,
             std::optional<std::uint32_t> place) {
    if (round_->x.size() >= encoding_.max_per_row()) {
      return Fail(
          FaultReason::kTooMany, "too many features",
          "at most " + std::to_string(encoding_.max_per_row()) + " in one row");
    }
    double number = 0;
    if (ParseJsonNumber(value.raw_json_token(), number)) {
      return Number(number, name, place);
    }
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    bool yes = false;
    std::string_view text;
    switch (type) {
      case Type::boolean:
        if (value.get_bool().get(yes)) return BadToken(value);
        return Number(yes ? 1 : 0, name, place);
      case Type::string:
        if (const auto error = value.get_string().get(text)) {
          return Broken(error);
        }
        return encoding_.TextFeature(name, text, round_->x, *fault_);
      case Type::number:
        return BadToken(value);
      default:
        return NoValue(value, type);
    }
  }
  bool NoValue(ondemand::value& value, Type type) {
    if (type == Type::null && !IsNull(value)) return false;
    return Fail(FaultReason::kSyntax, FindKind(type),
                type == Type::null ? "a value" : "one value");
  }
  bool Number(double number, std::string_view name,
              std::optional<std::uint32_t> place) {
    if (!place && !encoding_.has_buckets()) {
      return Fail(FaultReason::kNotNumber, "a name",
                  "numbers in a list (names need " +
                      std::string(encoding_.WithoutBuckets()) + ")");
    }
    if (place && *place >= encoding_.dense()) {
      return Fail(FaultReason::kTooMany, "too many features",
                  "at most " + std::to_string(encoding_.dense()));
    }
    round_->x.push_back({place ? *place : encoding_.Bucket(name), number});
    return true;
  }

  // Adds the features of a text, or of a missing field, and of its mark.
  bool SchemaText(std::size_t field, std::string_view text) {
    const std::size_t column = fields_[field];
    return encoding_.Column(column, text, round_->x, *fault_) &&
           (!marks_[column] ||
            encoding_.Column(*marks_[column], text, round_->x, *fault_));
  }
  bool SchemaNumber(std::size_t field, double number) {
    const std::size_t column = fields_[field];
    return encoding_.NumberColumn(column, number, round_->x, *fault_) &&
           (!marks_[column] || encoding_.NumberColumn(*marks_[column], number,
                                                      round_->x, *fault_));
  }
  bool MayBeMissing(std::size_t field) const {
    const SchemaColumn& column = encoding_.schema()->columns[fields_[field]];
    return column.missing || !column.missing_of.empty();
  }

  bool SchemaValue(std::size_t field, ondemand::value& value) {
    seen_[field] = row_;
    ++found_columns_;
    double number = 0;
    if (ParseJsonNumber(value.raw_json_token(), number)) {
      return SchemaNumber(field, number);
    }
    Type type = Type::null;
    if (value.type().get(type)) return BadToken(value);
    bool yes = false;
    std::string_view text;
    switch (type) {
      case Type::boolean:
        if (value.get_bool().get(yes)) return BadToken(value);
        text = yes ? "true" : "false";
        break;
      case Type::string:
        if (const auto error = value.get_string().get(text)) {
          return Broken(error);
        }
        break;
      case Type::number:
        return BadToken(value);
      case Type::null:
        if (!MayBeMissing(field)) return NoValue(value, type);
        if (!IsNull(value)) return false;
        break;
      default:
        return NoValue(value, type);
    }
    return SchemaText(field, text);
  }

  // Checks what is known only in the end.
  bool Complete() {
    if (live_ != nullptr && live_->label) return CompleteLabel();
    if (!found_x_) {
      round_->presence = Presence::kAbsent;
      return !labelled_ ||
             Fail(FaultReason::kFields, "no \"x\"", "features with a label");
    }
    for (std::size_t c = 0; found_columns_ < seen_.size(); ++c) {
      if (seen_[c] == row_) continue;
      ++found_columns_;
      if (MayBeMissing(c) && SchemaText(c, "")) continue;
      fault_->AtColumn("\"x\", column " +
                       Shown(encoding_.schema()->columns[fields_[c]].field()));
      return Fail(FaultReason::kFields, "missing", "a value");
    }
    if (SortFeatures(round_->x, sorting_)) return true;
    fault_->Say(FaultReason::kNotFinite, "values add up to infinity",
                "finite sums");
    return false;
  }
  bool CompleteLabel() {
    if (live_->ticket.empty()) {
      return At(Fail(FaultReason::kSyntax, "empty", "a ticket"), "\"ticket\"");
    }
    if (found_x_) {
      return Fail(FaultReason::kSyntax, "both \"x\" and \"ticket\"",
                  "one of them");
    }
    return labelled_ ||
           At(Fail(FaultReason::kLabel, "missing", "a label"), "\"y\"");
  }

  // Reads user, id, ticket and the kind of a bad line, as far as they can be
  // read.
  void FindNames() {
    RowError ignored;
    fault_ = &ignored;
    round_->user.clear();
    const bool starts_as_label =
        std::string_view(buffer_).substr(0, size_).starts_with(kLabelStart);
    if (live_ != nullptr) *live_ = {.label = starts_as_label};
    bool ticket = false;
    ondemand::object object;
    if (!Again() || document_.get_object().get(object)) return;
    for (auto item : object) {
      ondemand::field field;
      std::string_view key;
      if (std::move(item).get(field) || field.unescaped_key().get(key)) return;
      ondemand::value value = field.value();
      if (key == "user" && !ToText(value, round_->user)) round_->user.clear();
      if (live_ == nullptr) continue;
      if (key == "id" && !ReadId(value)) live_->id.clear();
      ticket = ticket || key == "ticket";
      if (key == "ticket" && !ToText(value, live_->ticket)) {
        live_->ticket.clear();
      }
    }
    // The walk has reached the end: the object is complete.
    if (ticket && AtEnd()) live_->label = true;
  }

  const Encoding& encoding_;
  const LabelParser& labels_;
  std::unordered_map<std::string_view, std::size_t> columns_;  // of fields
  ondemand::parser parser_;
  ondemand::document document_;
  std::string buffer_;
  std::size_t size_ = 0;  // of the line in it
  NameSet keys_;
  NameSet names_;
  FeatureVector sorting_;
  // With a schema: the column of each field, and the mark of a column.
  std::vector<std::size_t> fields_;
  std::vector<std::optional<std::size_t>> marks_;
  // For each field: the last row that had it.
  std::vector<std::uint64_t> seen_;
  std::uint64_t row_ = 0;
  std::size_t found_columns_ = 0;
  // The line at hand.
  Round* round_ = nullptr;
  LiveFields* live_ = nullptr;
  RowError* fault_ = nullptr;
  bool found_x_ = false;
  bool labelled_ = false;
};

JsonlRows::JsonlRows(Encoding encoding, StreamLabel label)
    : encoding_(std::move(encoding)),
      label_(std::move(label)),
      parser_(std::make_unique<Parser>(encoding_, label_.parser)) {}

JsonlRows::~JsonlRows() = default;

Result<std::unique_ptr<JsonlRows>> JsonlRows::Create(EncodingParams encoding,
                                                     StreamLabel label) {
  SOTTO_TRY_ASSIGN(auto made,
                   Encoding::Create(std::move(encoding), kDefaultFeatures));
  return std::unique_ptr<JsonlRows>(
      new JsonlRows(std::move(made), std::move(label)));
}

bool JsonlRows::Parse(std::string_view line, Round& round, RowError& fault) {
  return parser_->Parse(line, round, nullptr, fault);
}

bool JsonlRows::ParseLive(std::string_view line, Round& round,
                          LiveFields& fields, RowError& fault) {
  fields = {};
  return parser_->Parse(line, round, &fields, fault);
}

}  // namespace sotto
