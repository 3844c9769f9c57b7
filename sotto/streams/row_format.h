#pragma once

#include <string>
#include <string_view>

#include "sotto/base/round.h"
#include "sotto/streams/encoding.h"
#include "sotto/streams/label_parser.h"
#include "sotto/streams/row_fault.h"

namespace sotto {

// Turns one line of a stream into a round: one implementation for each format.
// Nothing is carried from one line to the next.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  // Fills in what the line brings to a round that is empty: whether it is
  // present or absent, x, y and the user. False, and the fault, if the row
  // cannot be used; of the round only the user's name then counts, which is
  // there if it can be read, whatever else is wrong.
  virtual bool Parse(std::string_view line, Round& round, RowFault& fault) = 0;
  virtual const Encoding& encoding() const = 0;
  virtual const LabelParser& labels() const = 0;
  // What the label is called.
  virtual const std::string& label_name() const = 0;
  // Where in a row this feature is, for messages.
  virtual std::string Where(std::uint32_t index) const {
    return "feature " + std::to_string(index);
  }
};

}  // namespace sotto
