#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A stream of rows with one protected user, as the lines of a file.
struct ProgramStream {
  std::string format = "csv";       // csv (with a header), libsvm, vw or jsonl
  std::vector<std::string> header;  // lines before the rows
  std::vector<std::string> rows;
  std::size_t protected_row = 0;
  std::string label = "y";    // csv, jsonl: the column
  std::string user = "user";  // csv: the column, if there is one

  // Takes a file apart. Fails with kInvalidArgument if it has no such row.
  static Result<ProgramStream> Read(const std::string& text, std::string format,
                                    std::size_t row);
  std::string Text() const;
};

// A stream that differs in what one user did, and whose lines in outputs are
// that user's own.
struct NeighbourStream {
  std::string change;  // in words
  ProgramStream stream;
  std::vector<std::size_t> own;  // rows
  int users = 1;  // that differ: the claim is taken for a group of so many
};

// Every way to be a neighbour that the format allows: the row replaced by that
// of somebody else, unusable, blank, absent (its fields empty, its user's name
// there), without its label, its user's name on another row.
std::vector<NeighbourStream> NeighboursOf(const ProgramStream& stream);

}  // namespace sotto
