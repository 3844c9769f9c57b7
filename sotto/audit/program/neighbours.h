#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A stream of rows with one protected user, as the lines of a file.
struct ProgramStream {
  // csv (with a header), libsvm, vw or jsonl; live is jsonl as a conversation,
  // in which labels are sent by ticket.
  std::string format = "csv";
  std::vector<std::string> header;  // lines before the rows
  bool header_written = true;       // csv: otherwise it only names the columns
  std::vector<std::string> rows;
  std::size_t protected_row = 0;
  std::string label = "y";    // csv, jsonl: the column
  std::string user = "user";  // csv, jsonl: the column, if there is one
  // Live: the row after whose answer each label is sent; none: never. Empty:
  // each label right after its own row.
  std::vector<std::optional<std::size_t>> label_after = {};

  // Parses a file. Fails with kInvalidArgument if it has no such row.
  static Result<ProgramStream> Read(const std::string& text, std::string format,
                                    std::size_t row);
  std::string Text() const;
  // The time of a row's label.
  std::optional<std::size_t> LabelAfter(std::size_t row) const;
};

// A stream that differs in one user's data, and the output lines that belong to
// that user.
struct NeighbourStream {
  std::string change;  // text
  ProgramStream stream;
  std::vector<std::size_t> own = {};  // rows
  int users = 1;  // number that differ: the claim is for a group of this size
  // True if the row is an empty round by the rules of the format. A program
  // that follows them treats all of these the same.
  bool empty = false;
};

// Every way to be a neighbour that the format allows: the row replaced by
// another user's, bad (in several ways), blank, absent (with the user's name),
// without its label, with a delayed label, its user's name on another row.
std::vector<NeighbourStream> MakeNeighbours(const ProgramStream& stream);

}  // namespace sotto
