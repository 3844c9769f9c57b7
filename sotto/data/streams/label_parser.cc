#include "sotto/data/streams/label_parser.h"

#include <algorithm>

#include "sotto/base/printable.h"
#include "sotto/data/streams/decimal.h"

namespace sotto {
namespace {

using Kind = LabelType::Kind;

// 0 or -1, 1, or nothing.
std::optional<bool> UsualLabel(std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  double value = 0;
  if (!ParseDecimal(text, value)) return std::nullopt;
  if (value == 1) return true;
  if (value == 0 || value == -1) return false;
  return std::nullopt;
}

}  // namespace

Result<LabelWords> ParseLabelWords(std::string_view text) {
  const auto comma = text.find(',');
  const auto negative = text.substr(0, comma);
  const auto positive =
      comma == std::string_view::npos ? "" : text.substr(comma + 1);
  if (negative.empty() || positive.empty() || negative == positive ||
      positive.find(',') != std::string_view::npos) {
    return InvalidArgument("--labels " + Shown(text) +
                           ": expected two different words, as in no,yes");
  }
  // As in a schema: a label is a line of a predictions file.
  if (PrintableLine(text) != text) {
    return InvalidArgument("--labels " + Shown(text) +
                           ": expected words without control characters");
  }
  return LabelWords(std::pair(std::string(negative), std::string(positive)));
}

Result<LabelType> ChooseLabels(const LabelWords& words,
                               const SchemaLabel* schema) {
  if (!words) return schema != nullptr ? schema->type : LabelType{};
  if (words->first == words->second) {
    return InvalidArgument("the two labels must differ, not both be " +
                           Shown(words->first));
  }
  if (schema != nullptr && schema->type.kind != Kind::kTwo) {
    return InvalidArgument(
        "two labels are named, but in the schema the label " +
        Shown(schema->column) + " is not one of two");
  }
  return LabelType{.kind = Kind::kTwo, .names = {words->first, words->second}};
}

Result<StreamLabel> GetLabel(const LabelWords& words,
                             const std::optional<Schema>& schema,
                             LabelReading reading) {
  const SchemaLabel* label =
      schema && schema->label ? &*schema->label : nullptr;
  SOTTO_TRY_ASSIGN(auto type, ChooseLabels(words, label));
  return StreamLabel{label != nullptr ? label->column : "y",
                     LabelParser(std::move(type), reading)};
}

LabelParser::LabelParser(LabelType type, LabelReading reading)
    : type_(std::move(type)),
      reading_(reading),
      usual_(type_.kind == Kind::kTwo &&
             (type_.names.empty() ||
              (type_.names[0] == "0" && type_.names[1] == "1"))) {
  for (const std::string& name : type_.names) {
    names_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  }
}

bool LabelParser::Named(std::string_view text,
                        std::optional<Label>& label) const {
  if (usual_) {
    const auto usual = UsualLabel(text);
    if (usual) label = Label(*usual);
    return usual.has_value();
  }
  const auto place = names_.find(text);
  if (place == names_.end()) return false;
  label = type_.FromNumber(place->second);
  return true;
}

bool LabelParser::Number(std::string_view text, std::optional<Label>& label,
                         RowError& fault) const {
  double value = 0;
  if (ParseDecimal(text, value)) {
    if (value < type_.low || value > type_.high) ++fault.clamped;
    label = type_.FromNumber(std::clamp(value, type_.low, type_.high));
    return true;
  }
  fault.reason =
      SpellsNotFinite(text) ? FaultReason::kNotFinite : FaultReason::kLabel;
  return false;
}

bool LabelParser::Parse(std::string_view text, std::optional<Label>& label,
                        RowError& fault) const {
  fault.reason = FaultReason::kLabel;
  if (reading_ == LabelReading::kIgnored) {
    label = std::nullopt;
    return true;
  }
  if (type_.kind != Kind::kNumber && Named(text, label)) return true;
  label = std::nullopt;
  if (text.empty() || text == "?") return true;
  if (type_.kind == Kind::kNumber && Number(text, label, fault)) return true;
  if (reading_ == LabelReading::kLenient) {
    fault.unknown_label = true;
    return true;
  }
  fault.Set(fault.reason, Shown(text) + " is not a label", Expected());
  return false;
}

std::string LabelParser::Expected() const {
  if (type_.kind == Kind::kNumber) {
    return "a number in [" + ShownNumber(type_.low) + ", " +
           ShownNumber(type_.high) + "]";
  }
  if (usual_) return "0 or 1, -1 or +1, true or false";
  if (type_.kind == Kind::kTwo) {
    return Shown(type_.names[0]) + " or " + Shown(type_.names[1]);
  }
  return "one of " + ShownList(type_.names);
}

}  // namespace sotto
