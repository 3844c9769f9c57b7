#pragma once

#include <string>
#include <vector>

#include "sotto/data/streams/schema.h"

namespace sotto {

// A schema as a file, a line for each column, that Schema::Parse reads.
std::string SchemaText(const Schema& schema);

// What each line means for those who run models, and what is missing: a
// sentence each.
std::vector<std::string> Explain(const Schema& schema);

}  // namespace sotto
