#include "sotto/streams/jsonl_rows.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto {
namespace {

using Json = nlohmann::json;

// Receives the pieces of one line as they are read; no tree is built. Every
// call returns whether to go on.
class Receiver final : public nlohmann::json_sax<Json> {
 public:
  Receiver(const Encoding& encoding, const LabelParser& labels, Round& round,
           RowFault& fault)
      : encoding_(encoding), labels_(labels), round_(round), fault_(fault) {
    if (encoding_.schema() != nullptr) {
      seen_.resize(encoding_.schema()->columns.size());
    }
  }

  bool null() override {
    if (place_ != Place::kTop && depth_ == 1) return true;
    if (place_ == Place::kIgnored) return true;
    return Fail(FaultReason::kSyntax, "null", "a value");
  }
  bool boolean(bool value) override {
    if (place_ == Place::kLabel) return Label(value ? "true" : "false");
    if (place_ == Place::kFeatures && encoding_.schema() != nullptr) {
      return SchemaText(value ? "true" : "false");
    }
    return Number(value ? 1 : 0);
  }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    return Number(value);
  }
  bool string(string_t& value) override {
    switch (place_) {
      case Place::kLabel:
        return Label(value);
      case Place::kUser:
        round_.user = value;
        return true;
      case Place::kFeatures:
        return Text(value);
      case Place::kIgnored:
        return true;
      case Place::kTop:
        break;
    }
    return Fail(FaultReason::kSyntax, Shown(value), "an object");
  }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return Open(/*list=*/false); }
  bool start_array(std::size_t) override { return Open(/*list=*/true); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& value) override {
    if (depth_ == 1) {
      place_ = Place::kIgnored;
      if (value == "x") place_ = Place::kFeatures;
      if (value == "y") place_ = Place::kLabel;
      if (value == "user") place_ = Place::kUser;
    }
    name_ = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& problem) override {
    constexpr int kNumberOverflow = 406;
    const bool not_finite = problem.id == kNumberOverflow || StartsNan(token);
    const auto last = token.size() > 8 ? token.size() - 8 : 0;
    fault_ = {not_finite ? FaultReason::kNotFinite : FaultReason::kSyntax,
              "character " + std::to_string(position),
              Shown(token.substr(last)) + ": expected " +
                  (not_finite ? "a finite number" : "JSON")};
    return false;
  }

  // What can be said only in the end.
  bool Complete() {
    place_ = found_x_ ? Place::kFeatures : Place::kTop;
    if (!found_x_) {
      round_.presence = Presence::kAbsent;
      return !round_.y ||
             Fail(FaultReason::kFields, "no \"x\"", "features with a label");
    }
    for (std::size_t c = 0; c < seen_.size(); ++c) {
      if (seen_[c]) continue;
      name_ = encoding_.schema()->columns[c].name;
      return Fail(FaultReason::kFields, "missing", "a value");
    }
    return true;
  }

 private:
  enum class Place { kTop, kIgnored, kFeatures, kLabel, kUser };

  // What was read up to where NaN or Infinity stopped being JSON.
  static bool StartsNan(std::string_view token) {
    return token.ends_with('N') || token.ends_with("na") ||
           token.ends_with('I') || token.ends_with("i");
  }

  bool Fail(FaultReason reason, const std::string& found,
            const std::string& expected) {
    Locate();
    fault_.reason = reason;
    fault_.message = found + ": expected " + expected;
    return false;
  }
  // For faults that something else wrote.
  bool Located(bool good) {
    if (!good) Locate();
    return good;
  }
  void Locate() {
    fault_.where.clear();
    if (place_ == Place::kLabel) fault_.where = "\"y\"";
    if (place_ == Place::kUser) fault_.where = "\"user\"";
    if (place_ != Place::kFeatures) return;
    fault_.where = "\"x\"";
    if (depth_ < 2 && !name_.empty() && name_ != "x") {
      fault_.where += ", column " + Shown(name_);
    }
    if (depth_ == 2) {
      fault_.where += list_ ? ", element " + std::to_string(position_)
                            : ", column " + Shown(name_);
    }
  }

  bool Open(bool list) {
    ++depth_;
    if (depth_ == 1) {
      return !list || Fail(FaultReason::kSyntax, "a list", "an object");
    }
    if (place_ == Place::kIgnored) return true;
    if (place_ != Place::kFeatures || depth_ > 2) {
      --depth_;
      return Fail(FaultReason::kSyntax, list ? "a list" : "an object",
                  "one value");
    }
    found_x_ = true;
    list_ = list;
    position_ = 0;
    return true;
  }
  bool Close() {
    --depth_;
    return true;
  }

  bool Label(std::string_view text) {
    return Located(labels_.Parse(text, round_.y, fault_));
  }

  bool Number(double value) {
    switch (place_) {
      case Place::kIgnored:
        return true;
      case Place::kLabel:
        return Label(ShownNumber(value));
      case Place::kUser:
        return Fail(FaultReason::kSyntax, "a number", "a string");
      case Place::kTop:
        return Fail(FaultReason::kSyntax, "a number", "an object");
      case Place::kFeatures:
        break;
    }
    found_x_ = true;
    if (encoding_.schema() != nullptr) return SchemaNumber(value);
    if (depth_ == 1) return Add(0, value);
    if (!list_) {
      return CheckBuckets() && Add(encoding_.Bucket(name_), value);
    }
    const std::size_t index = position_++;
    if (index < encoding_.dense()) {
      return Add(static_cast<std::uint32_t>(index), value);
    }
    return Fail(FaultReason::kTooMany, "too many features",
                "at most " + std::to_string(encoding_.dense()));
  }

  bool Text(const std::string& value) {
    if (depth_ != 2) {
      return Fail(FaultReason::kSyntax, Shown(value), "a list or an object");
    }
    if (encoding_.schema() != nullptr) return SchemaText(value);
    if (!CheckBuckets()) return false;
    return Add(
        encoding_.Bucket(list_ ? std::to_string(position_++) : name_, value),
        1.0);
  }

  bool CheckBuckets() {
    return encoding_.has_buckets() ||
           Fail(FaultReason::kNotNumber, "a name or a string",
                "numbers in a list (strings need a schema or hash bits)");
  }

  bool Add(std::uint32_t index, double value) {
    if (round_.x.size() >= encoding_.max_per_row()) {
      return Fail(
          FaultReason::kTooMany, "too many features",
          "at most " + std::to_string(encoding_.max_per_row()) + " in one row");
    }
    round_.x.push_back({index, value});
    return true;
  }

  // The schema's column that comes now: by place in a list, by name otherwise.
  // A name the schema does not know is passed over, as in csv.
  bool Column(std::optional<std::size_t>& column) {
    if (depth_ == 1 || list_) {
      column = position_++;
      if (*column >= seen_.size()) {
        return Fail(FaultReason::kFields, "too many values",
                    std::to_string(seen_.size()));
      }
    } else {
      column = encoding_.schema()->Find(name_);
      if (!column) return true;
    }
    if (seen_[*column]) {
      return Fail(FaultReason::kFields, "a second value", "one");
    }
    seen_[*column] = true;
    return true;
  }
  bool SchemaNumber(double value) {
    std::optional<std::size_t> c;
    if (!Column(c)) return false;
    return !c || Located(encoding_.NumberColumn(*c, value, round_.x, fault_));
  }
  bool SchemaText(std::string_view value) {
    std::optional<std::size_t> c;
    if (!Column(c)) return false;
    return !c || Located(encoding_.Column(*c, value, round_.x, fault_));
  }

  const Encoding& encoding_;
  const LabelParser& labels_;
  Round& round_;
  RowFault& fault_;
  Place place_ = Place::kTop;
  int depth_ = 0;
  bool list_ = false;
  bool found_x_ = false;
  std::size_t position_ = 0;
  std::string name_;
  std::vector<bool> seen_;
};

}  // namespace

Result<std::unique_ptr<JsonlRows>> JsonlRows::Create(EncodingParams encoding,
                                                     LabelParser labels,
                                                     std::string label_name) {
  auto made = Encoding::Create(std::move(encoding), kDefaultFeatures);
  if (!made) return made.error();
  return std::unique_ptr<JsonlRows>(new JsonlRows(
      *std::move(made), std::move(labels), std::move(label_name)));
}

bool JsonlRows::Parse(std::string_view line, Round& round, RowFault& fault) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) {
    round.presence = Presence::kAbsent;
    return true;
  }
  Receiver receiver(encoding_, labels_, round, fault);
  bool good = Json::sax_parse(line, &receiver) && receiver.Complete();
  if (good && !SortFeatures(round.x, sorting_)) {
    fault = {FaultReason::kNotFinite, "", "values add up to infinity"};
    good = false;
  }
  if (good) return true;
  const Json all = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (all.is_object() && all.contains("user") && all["user"].is_string()) {
    round.user = all["user"].get<std::string>();
  }
  return false;
}

}  // namespace sotto
