#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"

namespace sotto {

// Private numbers, one a line. Fails with kInvalidArgument, naming the line.
Result<std::vector<double>> ReadNumbers(const std::string& path);

// The queries answered so far, and a fingerprint of the data they were asked
// of.
//
// Threads: as OnlineThresholds.
struct LineRanks {
  OnlineThresholds thresholds;
  Key salt;
  Key fingerprint;

  static Result<LineRanks> Create(const OnlineThresholds::Params& params,
                                  std::vector<double> data, HistoryRng& rng);
  // Fails with kInvalidArgument on other data than it was made with, or with
  // kCorruption.
  static Result<LineRanks> Load(const OnlineThresholds::Params& params,
                                std::vector<double> data,
                                std::string_view saved);
  void Save(ByteWriter& writer) const;
};

}  // namespace sotto
