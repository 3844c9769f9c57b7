#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/data/streams/example_reader.h"

namespace sotto {

// A table or stream on disk, as the flags of a command describe it.
struct TableSource {
  std::string path;  // "-" is standard input
  bool header = true;
  // The number of columns of a table without a header. Absent: the schema's.
  std::optional<std::uint64_t> columns = {};
  std::string label = {};
  std::string user = {};    // the user column; empty: `user`, if any
  std::string labels = {};  // "neg,pos"
  std::string schema = {};
  std::string format = {};  // empty: by the file's ending, or csv
  bool skip_bad = false;
};

// How the table is read: for every command with the same flags. Fails with
// kInvalidArgument if the schema cannot be read, or the labels are not two.
Result<ReaderParams> MakeReaderParams(const TableSource& source);

}  // namespace sotto
