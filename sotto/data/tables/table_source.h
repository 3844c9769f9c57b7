#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sotto {

// A table on disk, for `fit` and `predict`.
struct TableSource {
  std::string path;  // "-" is standard input
  bool header = true;
  // The number of columns of a table without a header. Absent: the schema's.
  std::optional<std::uint64_t> columns = {};
  std::string label = {};
  std::string user = {};    // the user column; empty: `user`, if any
  std::string labels = {};  // "neg,pos"
  std::string schema = {};
  std::string format = {};
  bool skip_bad = false;  // `predict` only: a fit always skips bad rows
};

}  // namespace sotto
