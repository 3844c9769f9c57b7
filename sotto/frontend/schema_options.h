#pragma once

#include <string>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// Options of `sotto schema`: a source, and what is publicly known.
const OptionTable& SchemaOptions();

struct MadeSchema {
  Schema schema;
  std::string notes = {};  // for the operator: where it comes from
};

// Reads a schema, or writes one from a header, a public sample or private rows.
// Fails with kInvalidArgument.
Result<MadeSchema> MakeSchema(const Settings& settings);

}  // namespace sotto
