#include "sotto/base/json_fields.h"

#include <cmath>

namespace sotto {
namespace {

const Json& Nothing() {
  static const Json kNothing;
  return kNothing;
}

}  // namespace

void JsonFields::Refuse(std::string_view name,
                        std::string_view expected) const {
  if (!fault_->empty()) return;
  *fault_ =
      "at " + path_ + std::string(name) + ": expected " + std::string(expected);
}

const Json& JsonFields::At(std::string_view name) const {
  const Json* member = json_->Find(name);
  return member != nullptr ? *member : Nothing();
}

bool JsonFields::Has(std::string_view name) const {
  return !At(name).is_null();
}

bool JsonFields::Flag(std::string_view name) const {
  const bool* flag = At(name).boolean();
  if (flag == nullptr) Refuse(name, "true or false");
  return flag != nullptr && *flag;
}

double JsonFields::GetDouble(std::string_view name) const {
  const auto number = At(name).number();
  if (!number || !std::isfinite(*number)) Refuse(name, "a number");
  return number.value_or(0);
}

std::int64_t JsonFields::Integer(std::string_view name) const {
  const auto number = At(name).integer();
  if (!number) Refuse(name, "a whole number");
  return number.value_or(0);
}

std::uint64_t JsonFields::Natural(std::string_view name,
                                  std::uint64_t most) const {
  const auto number = At(name).natural();
  if (number && *number <= most) return *number;
  Refuse(name, "a whole number from 0 to " + std::to_string(most));
  return 0;
}

std::string JsonFields::Text(std::string_view name) const {
  const std::string* text = At(name).text();
  if (text == nullptr) Refuse(name, "a text");
  return text != nullptr ? *text : "";
}

JsonFields JsonFields::Object(std::string_view name) const {
  const Json& json = At(name);
  if (json.object() == nullptr) Refuse(name, "an object");
  return {json, *fault_, path_ + std::string(name) + "."};
}

const Json::Array& JsonFields::ArrayAt(std::string_view name) const {
  static const Json::Array kNone;
  const Json::Array* array = At(name).array();
  if (array == nullptr) Refuse(name, "a list");
  return array != nullptr ? *array : kNone;
}

std::vector<JsonFields> JsonFields::Array(std::string_view name) const {
  std::vector<JsonFields> elements;
  for (const Json& element : ArrayAt(name)) {
    if (element.object() == nullptr) Refuse(name, "a list of objects");
    elements.push_back({element, *fault_,
                        path_ + std::string(name) + "[" +
                            std::to_string(elements.size()) + "]."});
  }
  return elements;
}

std::vector<double> JsonFields::Reals(std::string_view name) const {
  std::vector<double> numbers;
  for (const Json& element : ArrayAt(name)) {
    const auto number = element.number();
    if (!number || !std::isfinite(*number)) Refuse(name, "a list of numbers");
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

std::vector<std::string> JsonFields::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  for (const Json& element : ArrayAt(name)) {
    const std::string* text = element.text();
    if (text == nullptr) Refuse(name, "a list of texts");
    texts.push_back(text != nullptr ? *text : "");
  }
  return texts;
}

}  // namespace sotto
