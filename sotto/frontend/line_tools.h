#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/line_state.h"
#include "sotto/random/history_rng.h"

namespace sotto {

// A mechanism that answers a line with a line.
//
// Threads: not thread-safe.
class LineMechanism {
 public:
  virtual ~LineMechanism() = default;

  // Writes the answer, as a number or a word; or, if `json_end` is not empty,
  // as a JSON object with that end. Fails, and changes only the noise, if there
  // is no answer.
  virtual Status Answer(std::string_view line, std::string_view json_end,
                        HistoryRng& rng, LineWriter& out) = 0;
  // True if nothing more can be asked.
  virtual bool ended() const { return false; }
  virtual void Save(ByteWriter& writer) const = 0;
  // The error to expect of the answers.
  virtual std::string Describe() const = 0;
  // The guarantee of one record.
  virtual const Guarantee& guarantee() const = 0;
};

// `sotto count`, `monitor` and `quantile`.
struct LineTool {
  std::string_view name;  // the kind of its states
  std::string_view help;
  std::string_view footer;
  OptionTable options;
  // From scratch, or from the state that was loaded. Fails with
  // kInvalidArgument or kCorruption.
  Result<std::unique_ptr<LineMechanism>> (*make)(const LineStart& start,
                                                 HistoryRng& rng);
};

const std::vector<LineTool>& LineTools();

}  // namespace sotto
