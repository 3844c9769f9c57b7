#pragma once

#include <string>
#include <vector>

#include "sotto/data/streams/schema.h"

namespace sotto {

// A schema as a file, a line for each column, that Schema::Parse reads.
std::string SchemaText(const Schema& schema);

// Sentences that explain each line to those who run models, and name what is
// missing.
std::vector<std::string> Explain(const Schema& schema);

}  // namespace sotto
