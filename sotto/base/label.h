#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sotto {

// What is predicted and what a user may tell later: one of two, one of k
// classes, or a number. Which of the three is public, from the schema; a label
// alone does not say.
//
//   Label spam = true;
//   Label third = Label::OfClass(2);
//   Label price = Label::OfNumber(0.25);
//
// Threads: a value type.
class Label {
 public:
  Label() = default;  // the negative one of two, class 0, the number 0
  Label(bool positive) : value_(positive ? 1 : 0) {}
  static Label OfClass(std::uint32_t index) {
    return Label(static_cast<double>(index));
  }
  static Label OfNumber(double value) { return Label(value); }

  bool positive() const { return value_ != 0; }
  std::uint32_t index() const { return static_cast<std::uint32_t>(value_); }
  double number() const { return value_; }

  friend bool operator==(const Label&, const Label&) = default;

 private:
  explicit Label(double value) : value_(value) {}

  double value_ = 0;  // a class, too, is exact in it
};

// The public kind of a stream's labels.
struct LabelType {
  enum class Kind : std::uint8_t { kTwo, kClasses, kNumber };
  Kind kind = Kind::kTwo;
  // What the two or k are called, in order; empty: 0 and 1.
  std::vector<std::string> names = {};
  // Of a number.
  double low = 0;
  double high = 1;

  // How many there are: 2, k, or 0 for numbers.
  std::uint32_t classes() const {
    if (kind == Kind::kNumber) return 0;
    return kind == Kind::kTwo ? 2 : static_cast<std::uint32_t>(names.size());
  }
  // Whether a label of this type can be that one.
  bool Has(const Label& label) const {
    if (kind == Kind::kNumber) {
      return label.number() >= low && label.number() <= high;
    }
    return label.number() >= 0 && label.number() < classes() &&
           label.number() == static_cast<double>(label.index());
  }

  friend bool operator==(const LabelType&, const LabelType&) = default;
};

}  // namespace sotto
