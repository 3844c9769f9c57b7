#pragma once

#include <memory>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/tables/table_source.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// How a stream of rows is read: --data, --format, --schema and the rest.
const OptionTable& ReaderOptions();
// The same for a table: `fit` and `predict`.
const OptionTable& TableOptions();

// --schema and --user alone.
const Option& SchemaOption();
const Option& UserOption();

// --strict: checks the rows of a stream instead of playing them.
const OptionTable& StrictOption();

// --train: the training set of models that start from one.
const OptionTable& TrainOption();

// The parameters that the flags set; the model's entry may add to them. Fails
// with kInvalidArgument.
Result<ExampleReader::Params> MakeReaderParams(const Settings& settings);
TableSource MakeTableSource(const Settings& settings);
// The same for a fit, whose table may name users: with UserOption().
TableSource MakeFitSource(const Settings& settings);

// The public facts of an opened stream, or of live lines.
template <typename Reader>
InputSpec MakeInputSpec(const Reader& reader) {
  const Encoding& encoding = reader.encoding();
  InputSpec inputs{.features = encoding.features(), .dense = encoding.dense()};
  if (encoding.schema() != nullptr) {
    inputs.schema = std::make_shared<const Schema>(*encoding.schema());
  }
  inputs.label = reader.label_type();
  inputs.names = reader.FeatureNames();
  inputs.print = reader.input_fingerprint();
  return inputs;
}

}  // namespace sotto
