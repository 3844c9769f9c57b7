#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "extension/buffer.h"
#include "extension/row_reader.h"
#include "sotto/base/round.h"

namespace sotto::python {

// One column of a table in memory, read where it lies: numbers that an object
// shows, codes of few values (a category of pandas), or Python objects.
class Source {
 public:
  // An array of one dimension, a pair of codes and values, or a sequence.
  // Throws InvalidArgument.
  explicit Source(pybind11::handle column);
  // Column j of an array of two dimensions.
  Source(std::shared_ptr<const NumberBuffer> matrix, std::size_t j);
  // Fields point into its own values, which stay where they are when it moves.
  Source(Source&&) = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() = default;

  std::size_t size() const;
  // Returns whether Get needs the GIL.
  bool objects() const { return static_cast<bool>(list_); }
  Field Get(std::size_t i) const;

 private:
  std::shared_ptr<const NumberBuffer> numbers_;
  std::optional<std::size_t> column_;  // of two dimensions
  pybind11::object values_;            // by code: a tuple
  std::vector<Field> fields_;          // by code, of values_
  pybind11::object list_;
};

// A table of users' rows with their labels and names, as a run plays it.
//
// Threads: to be made and destroyed with the GIL.
class Table {
 public:
  // `x` is an array of two dimensions, a list of columns, or a sparse matrix as
  // (starts, places, values, columns), the arrays of its compressed rows; `y`
  // and `users` may be None. Throws InvalidArgument unless all are of one
  // length.
  Table(pybind11::handle x, pybind11::handle y, pybind11::handle users);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const {
    return sparse_ ? sparse_->columns : columns_.size();
  }
  bool objects() const { return objects_; }
  // Fills in a round that was cleared from row i. False, and the fault, if it
  // cannot be used. Needs the GIL if there are objects.
  bool Read(const RowReader& reader, std::size_t i, Round& round,
            RowError& fault) const;

  // How a csv file is to be made of it.
  struct CsvParams {
    // Names of the columns; the label's last, unless there is none.
    std::vector<std::string> names;
    // The texts that each of them may hold, if they are few and known.
    std::vector<std::vector<std::string>> values = {};
    // The user column, if there are users: it comes first, so that a row which
    // cannot be used keeps its user. It holds a number for each name.
    std::string user = {};
    // A row that no csv file could hold is an InvalidArgument; otherwise one
    // that cannot be used.
    bool strict = true;
    // Rows from `first` to before `end`: 0 is the last one.
    std::size_t first = 0;
    std::size_t end = 0;
  };
  // These rows, with a header. Throws InvalidArgument. Needs the GIL if there
  // are objects.
  std::string Csv(const CsvParams& params) const;

 private:
  // The arrays of a sparse matrix, row after row.
  struct Sparse {
    explicit Sparse(const pybind11::tuple& parts);
    bool Read(const RowReader& reader, std::size_t i, Round& round,
              RowError& fault) const;

    NumberBuffer starts;
    NumberBuffer places;
    NumberBuffer values;
    std::size_t columns = 0;
  };

  void AddColumns(pybind11::handle x);
  // Numbers for names, in the order in which they first come.
  using NameNumbers = std::unordered_map<std::string, std::size_t>;
  bool AppendUser(std::size_t i, NameNumbers& numbers, std::string& csv,
                  RowError& fault) const;
  bool AppendRow(std::size_t i, const CsvParams& params, std::string& csv,
                 RowError& fault) const;

  std::vector<Source> columns_;
  std::optional<Sparse> sparse_;
  std::optional<Source> label_;
  pybind11::object users_;  // a tuple, or nothing
  std::size_t rows_ = 0;
  bool objects_ = false;
};

}  // namespace sotto::python
