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
  // in which labels come by ticket.
  std::string format = "csv";
  std::vector<std::string> header;  // lines before the rows
  bool header_written = true;       // csv: otherwise it only names the columns
  std::vector<std::string> rows;
  std::size_t protected_row = 0;
  std::string label = "y";    // csv, jsonl: the column
  std::string user = "user";  // csv, jsonl: the column, if there is one
  // Live: after which row's answer each label comes; none: never. Empty: each
  // right after its own.
  std::vector<std::optional<std::size_t>> label_after = {};

  // Takes a file apart. Fails with kInvalidArgument if it has no such row.
  static Result<ProgramStream> Read(const std::string& text, std::string format,
                                    std::size_t row);
  std::string Text() const;
  // When the label of a row comes.
  std::optional<std::size_t> LabelAfter(std::size_t row) const;
};

// A stream that differs in what one user did, and whose lines in outputs are
// that user's own.
struct NeighbourStream {
  std::string change;  // in words
  ProgramStream stream;
  std::vector<std::size_t> own = {};  // rows
  int users = 1;  // that differ: the claim is taken for a group of so many
  // Nobody takes part in the row, by the format's own rules: a program that
  // keeps to them makes no difference between two of these.
  bool empty = false;
};

// Every way to be a neighbour that the format allows: the row replaced by that
// of somebody else, unusable (in several ways), blank, absent (its user's name
// there), without its label, its label later, its user's name on another row.
std::vector<NeighbourStream> MakeNeighbours(const ProgramStream& stream);

}  // namespace sotto
