#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/round.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// A model's limits on values that can be read.
struct ValueLimits {
  // A feature outside the range is moved to the nearer end and noted, unless it
  // is a bucket, where values may add up.
  std::optional<std::pair<double, double>> range = {};
  // Feature 0 must be an integer from 0 to below this: a point of a class.
  std::optional<std::uint64_t> points = {};
};

// Turns one line of a stream into a round: one implementation for each format.
// Nothing is carried from one line to the next.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  // Fills in what the line brings to a round that is empty: whether it is
  // present or absent, x, y and the user. False, and the fault, if the row
  // cannot be used; of the round only the user's name then counts, which is
  // there if it can be read, whatever else is wrong.
  virtual bool Parse(std::string_view line, Round& round, RowError& fault) = 0;
  virtual const Encoding& encoding() const = 0;
  virtual const StreamLabel& label() const = 0;
  // Moves values into their range. False, and the fault, if a point of the
  // round is not one of the class.
  bool CheckValues(Round& round, const ValueLimits& limits,
                   RowError& fault) const;

 protected:
  // Says where in a row this feature is.
  virtual void Locate(std::uint32_t index, RowError& fault) const {
    fault.At("feature " + std::to_string(index));
  }

 private:
  void Clamp(Round& round, const std::pair<double, double>& range,
             RowError& fault) const;
  bool CheckPoint(const Round& round, std::uint64_t points,
                  RowError& fault) const;
};

// Makes the round unusable: no features, no label, only the user's name.
void MakeUnusable(Round& round);

}  // namespace sotto
