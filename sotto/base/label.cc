#include "sotto/base/label.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/json.h"
#include "sotto/base/number_text.h"

namespace sotto {

bool LabelType::Has(const Label& label) const {
  if (label.kind() != kind) return false;
  if (kind == Kind::kNumber) {
    return label.number() >= low && label.number() <= high;
  }
  return label.number() >= 0 && label.number() < classes() &&
         label.number() == static_cast<double>(label.index());
}

Json LabelType::ToJson(const Label& label) const {
  if (kind == Kind::kNumber) return label.number();
  const bool bare =
      kind == Kind::kTwo && Name(label) == (label.positive() ? "1" : "0");
  return bare ? Json(label.positive() ? 1 : 0) : Json(Name(label));
}

std::string LabelType::Name(const Label& label) const {
  if (kind == Kind::kNumber) return Shortest(label.number());
  const std::uint32_t index = label.index();
  return index < names.size() ? names[index] : std::to_string(index);
}

std::string_view KindText(LabelKind kind) {
  switch (kind) {
    case LabelKind::kTwo:
      return "one of two";
    case LabelKind::kClasses:
      return "one of several classes";
    case LabelKind::kNumber:
      break;
  }
  return "a number";
}

double Loss(const Label& prediction, const Label& y) {
  if (CountsMistakes(y.kind())) return prediction == y ? 0 : 1;
  return std::min(std::abs(prediction.number() - y.number()),
                  std::numeric_limits<double>::max());
}

}  // namespace sotto
