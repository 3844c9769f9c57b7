#include "sotto/streams/row_format.h"

#include "sotto/streams/decimal.h"

namespace sotto {
namespace {

// 0 or -1, 1, or nothing.
std::optional<bool> UsualLabel(std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  if (text == "true") return true;
  if (text == "false") return false;
  double value = 0;
  if (!ParseDecimal(text, value)) return std::nullopt;
  if (value == 1) return true;
  if (value == 0 || value == -1) return false;
  return std::nullopt;
}

}  // namespace

bool LabelWords::Parse(std::string_view text, std::optional<bool>& label,
                       RowFault& fault) const {
  if (words_ && text == words_->first) {
    label = false;
  } else if (words_ && text == words_->second) {
    label = true;
  } else if (text.empty() || text == "?") {
    label = std::nullopt;
  } else {
    label = words_ ? std::nullopt : UsualLabel(text);
    if (label) return true;
    fault.reason = FaultReason::kLabel;
    fault.message =
        Shown(text) + " is not a label: expected " +
        (words_ ? Shown(words_->first) + " or " + Shown(words_->second)
                : "0 or 1, -1 or +1, true or false");
    return false;
  }
  return true;
}

}  // namespace sotto
