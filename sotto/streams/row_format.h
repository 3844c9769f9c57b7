#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/streams/encoding.h"
#include "sotto/streams/example.h"
#include "sotto/streams/row_fault.h"

namespace sotto {

// Turns one line of a stream into an example: one implementation for each
// format. Lines must come in order, but nothing is carried from one to the
// next.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  enum class Outcome { kExample, kBlank, kFault };
  // Overwrites `example`, reusing its memory; fills `fault` if it returns
  // kFault.
  virtual Outcome Parse(std::string_view line, Example& example,
                        RowFault& fault) = 0;
  virtual const Encoding& encoding() const = 0;
  // Where in a row this feature is, for messages.
  virtual std::string Where(std::uint32_t index) const {
    return "feature " + std::to_string(index);
  }
};

// Which texts mean which label.
class LabelWords {
 public:
  // Absent: 0/1, -1/+1, true/false.
  using Words = std::optional<std::pair<std::string, std::string>>;
  explicit LabelWords(Words words) : words_(std::move(words)) {}

  // Empty and "?" are no label. False, and the fault, if it is none of these.
  bool Parse(std::string_view text, std::optional<bool>& label,
             RowFault& fault) const;

 private:
  Words words_;
};

}  // namespace sotto
