#pragma once

#include "sotto/base/result.h"
#include "sotto/model/model_row.h"
#include "sotto/model/option.h"
#include "sotto/model/settings.h"
#include "sotto/streams/example_reader.h"

namespace sotto::app {

// How a stream of rows is read: --data, --format, --schema and the rest.
const OptionTable& ReaderOptions();
// The same for a table: `fit` and `predict`.
const OptionTable& TableOptions();

// What the flags say; the model's row may add to it. Fails with
// kInvalidArgument.
Result<ExampleReader::Params> ReaderParamsOf(const Settings& settings);
TableSource TableSourceOf(const Settings& settings);

// What is public about an opened stream.
Inputs InputsOf(const ExampleReader& reader);

}  // namespace sotto::app
