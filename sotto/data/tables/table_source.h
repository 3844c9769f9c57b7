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
  std::string labels = {};  // "neg,pos"
  std::string schema = {};
  std::string format = {};
  bool skip_bad = false;
};

}  // namespace sotto
