#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extension/row_reader.h"
#include "extension/scorer.h"
#include "extension/table.h"
#include "sotto/base/label.h"

namespace sotto::python {

// Kinds of answers about a row.
enum class Output : std::uint8_t { kLabels, kScores, kProbabilities };
Output ParseOutput(const std::string& name);

// Answers of a published model about all rows of a table, as the memory of
// doubles: for kLabels the place of each prediction among the labels, or a
// number; otherwise one double for each score or label. NaN for a row without a
// prediction. A bad row raises InvalidArgument if `strict`.
pybind11::bytes ScoreTable(const Scorer& scorer, const RowReader& reader,
                           const Table& table, bool strict, Output output);
// The same for any rows.
pybind11::bytes ScoreRows(const Scorer& scorer, const RowReader& reader,
                          const pybind11::list& rows, bool strict,
                          Output output);

// A published model, read from its file. Predicting costs nothing and changes
// nothing.
//
// Threads: const calls may run at the same time, with the GIL.
class Published {
 public:
  using IsPythonClass = void;

  // `any_names`: rows are dicts of any names. Throws InvalidArgument.
  Published(const std::string& text, bool any_names);

  const Scorer& scorer() const { return *scorer_; }
  const RowReader& reader() const { return *reader_; }
  // Public facts about it, for the package.
  pybind11::dict Facts() const;

 private:
  std::string name_;
  std::unique_ptr<const Scorer> scorer_;
  std::unique_ptr<RowReader> reader_;
  LabelType label_;
  std::vector<std::string> columns_;
  bool constant_ = false;  // a rule that asks about no column
};

}  // namespace sotto::python
