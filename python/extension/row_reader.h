#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extension/buffer.h"
#include "extension/field.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/row_format.h"

namespace sotto::python {

// Turns Python objects into rounds: a row means what a csv file with the same
// columns would mean to the command line.
//
//   auto reader = RowReader::Create(params, {"age", "color"});
//   RowError fault;
//   if (!reader->Read(x, round, fault)) ... fault.Text("x") ...
//
// A dict (or what has `to_dict`) is read by names, a list, a tuple or an array
// by places, a lone number is a row of one column. Names that a row has beside
// the columns are ignored with a schema, unless they stand for a column that is
// missing.
//
// Threads: const calls may run at the same time; those with Python objects need
// the GIL.
class RowReader {
 public:
  // `params` as the model's row prepared them; params.user, unless empty, is
  // none of the columns. Fails with kInvalidArgument.
  static Result<std::unique_ptr<RowReader>> Create(
      const ExampleReader::Params& params, std::vector<std::string> columns);
  // Sparse rows: numbers by their places, as in a libsvm file with
  // params.encoding.features of them. A row is a dict of places, a list or an
  // array of all places, or a sparse matrix of one row.
  static Result<std::unique_ptr<RowReader>> CreateSparse(
      const ExampleReader::Params& params);
  // Rows are dicts of any names, which are hashed, as in a vw file without
  // namespaces.
  static Result<std::unique_ptr<RowReader>> CreateNamed(
      const ExampleReader::Params& params);
  // The columns of a row that is the first: its names, or c1, c2, ... Fails
  // with kInvalidArgument.
  static Result<std::vector<std::string>> MakeColumns(pybind11::handle x);

  // Fills in presence and x of a round that is clear. False, and the fault, if
  // the row cannot be used: the round is then unusable.
  bool Read(pybind11::handle x, Round& round, RowError& fault) const;
  // The same field after field, in the order of columns(): for tables. Every
  // column must be added.
  struct Build {
    std::size_t missing = 0;
    bool failed = false;
  };
  bool IsLoneMark(std::size_t column) const;
  void Add(std::size_t column, const Field& field, FeatureVector& x,
           Build& build, RowError& fault) const;
  bool Finish(const Build& build, Round& round, RowError& fault) const;
  // The same for one value of a sparse row, in any order. False, and the fault,
  // if it is not one.
  bool AddPlace(double place, double value, FeatureVector& x,
                RowError& fault) const;
  bool FinishSparse(Round& round, RowError& fault) const;

  // Calls the labels by other values, which Python can look up, in their order.
  // With `ignore` no label is looked at. Fails with kInvalidArgument unless
  // there are as many.
  Status NameLabels(const pybind11::object& classes, bool ignore);
  // False, and the fault, if it is not a label. A missing one counts as none.
  // In a table whose labels have other names: their places among them.
  bool ReadLabel(const Field& field, std::optional<Label>& y,
                 RowError& fault) const;
  bool ReadLabel(pybind11::handle label, std::optional<Label>& y,
                 RowError& fault) const;
  // As a user knows it: 0 or 1, a name, or a number.
  pybind11::object ToPython(const Label& label) const;

  // Empty for sparse rows and for any names.
  const std::vector<std::string>& columns() const { return names_; }
  // Number of values of a row. Not for any names.
  std::size_t width() const {
    return shape_ == Shape::kSparse ? encoding().dense() : names_.size();
  }
  bool sparse() const { return shape_ == Shape::kSparse; }
  bool any_names() const { return shape_ == Shape::kAnyNames; }
  const ValueLimits& limits() const { return limits_; }

  // For MakeInputSpec.
  const Encoding& encoding() const { return rows_->encoding(); }
  const LabelType& label_type() const { return rows_->label().parser.type(); }
  std::vector<std::string> FeatureNames() const;
  std::string input_fingerprint() const;

 private:
  enum class Shape : std::uint8_t { kColumns, kSparse, kAnyNames };

  RowReader() = default;
  static std::unique_ptr<RowReader> Make(const ExampleReader::Params& params,
                                         std::unique_ptr<RowFormat> rows);
  bool ReadDict(PyObject* dict, Round& round, RowError& fault) const;
  bool ReadItems(PyObject* list, Round& round, RowError& fault) const;
  bool ReadArray(const NumberBuffer& buffer, Round& round,
                 RowError& fault) const;
  bool ReadAny(pybind11::handle x, Round& round, RowError& fault) const;
  bool ReadSparse(pybind11::handle x, Round& round, RowError& fault) const;
  bool ReadPlaces(PyObject* dict, Round& round, RowError& fault) const;
  bool ReadNamed(PyObject* dict, Round& round, RowError& fault) const;
  bool AddNamed(PyObject* name, PyObject* value, FeatureVector& x,
                RowError& fault) const;
  bool IsMisspelt(PyObject* dict, std::size_t found, RowError& fault) const;
  std::string ColumnName(std::size_t column) const;
  bool AddPlain(std::size_t column, const Field& field, FeatureVector& x,
                RowError& fault) const;
  bool AddBySchema(std::size_t field_place, const Field& field,
                   FeatureVector& x, RowError& fault) const;
  bool AddToColumn(std::size_t column, const Field& field, FeatureVector& x,
                   RowError& fault) const;
  bool AddNumberAsText(std::size_t column, const Field& field, FeatureVector& x,
                       RowError& fault) const;
  bool Found(std::size_t count, RowError& fault) const;
  bool ReadPlace(const Field& field, std::optional<Label>& y,
                 RowError& fault) const;

  Shape shape_ = Shape::kColumns;
  std::unique_ptr<RowFormat> rows_;
  ValueLimits limits_;
  std::vector<std::string> names_;
  std::vector<std::size_t> schema_columns_;  // the same, with a schema
  std::vector<pybind11::object> keys_;       // the same, interned
  std::vector<pybind11::object> labels_;  // as Python objects, unless numbers
  pybind11::object places_ = {};          // of labels by other names: a dict
  bool ignore_labels_ = false;
  bool zero_or_one_ = false;  // what labels are, and they are looked at
};

}  // namespace sotto::python
