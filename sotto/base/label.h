#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

class Json;

// The kinds of labels. A new kind changes label.h and label.cc, the readers of
// schemas, and the models that accept it.
enum class LabelKind : std::uint8_t { kTwo, kClasses, kNumber };

// The value a model predicts and a user may send back: one of two, one of k
// classes, or a number. A label carries its kind; labels of different kinds
// are never equal.
//
//   Label spam = true;
//   Label third = Label::OfClass(2);
//   Label price = Label::OfNumber(0.25);
//
// Threads: a value type.
class Label {
 public:
  Label() = default;  // the negative one of two
  Label(bool positive) : value_(positive ? 1 : 0) {}
  static Label OfClass(std::uint32_t index) {
    return {LabelKind::kClasses, static_cast<double>(index)};
  }
  static Label OfNumber(double value) { return {LabelKind::kNumber, value}; }

  LabelKind kind() const { return kind_; }
  bool positive() const { return value_ != 0; }
  // The place among the two or k labels. Not for numbers.
  std::uint32_t index() const { return static_cast<std::uint32_t>(value_); }
  // The number, or the index as a number.
  double number() const { return value_; }

  // The form in which a label enters the noise history: one bit where the
  // value is 0 or 1, of any kind, and 64 bits otherwise. The kind is the same
  // for all labels of a session and adds nothing.
  bool is_bit() const { return value_ == 0 || value_ == 1; }
  std::uint64_t bits() const { return std::bit_cast<std::uint64_t>(value_); }

  friend bool operator==(const Label&, const Label&) = default;

 private:
  friend struct LabelType;
  Label(LabelKind kind, double value) : value_(value), kind_(kind) {}

  double value_ = 0;  // represents every index exactly
  LabelKind kind_ = LabelKind::kTwo;
};

// The public description of a stream's labels.
struct LabelType {
  using Kind = LabelKind;
  Kind kind = Kind::kTwo;
  // Names of the two or k labels, in order; empty: 0 and 1.
  std::vector<std::string> names = {};
  // Range of a number.
  double low = 0;
  double high = 1;

  // The number of labels: 2, k, or 0 for numbers.
  std::uint32_t classes() const {
    if (kind == Kind::kNumber) return 0;
    return kind == Kind::kTwo ? 2 : static_cast<std::uint32_t>(names.size());
  }
  // The label of this kind with that index or number. The result is a label of
  // this type only if Has says so: a saved state may hold anything.
  Label FromNumber(double value) const { return {kind, value}; }
  // Returns true if `label` is a label of this type: its kind and its range.
  bool Has(const Label& label) const;

  // The label as all output writes it: its name, 0 or 1 without one, a number.
  std::string Name(const Label& label) const;
  // The same as JSON. The labels called 0 and 1 are numbers.
  Json ToJson(const Label& label) const;

  friend bool operator==(const LabelType&, const LabelType&) = default;
};

// "one of two", "one of several classes", "a number".
std::string_view KindText(LabelKind kind);

// Returns true if labels of this kind are right or wrong; numbers are near or
// far.
constexpr bool CountsMistakes(LabelKind kind) {
  return kind != LabelKind::kNumber;
}
// Returns true if the prediction is a wrong one. Never for numbers.
inline bool IsMistake(const Label& prediction, const Label& y) {
  return CountsMistakes(y.kind()) && prediction != y;
}
// 1 for a mistake; the absolute error of a number, cut to a finite one.
double Loss(const Label& prediction, const Label& y);

}  // namespace sotto
