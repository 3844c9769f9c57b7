#pragma once

// Examples from files and pipes (csv, libsvm, vw, jsonl, gzipped or not),
// public schemas and how to come by one, synthetic streams, and states on disk.

#include "sotto/files/state_file.h"
#include "sotto/schemas/private_ranges.h"
#include "sotto/schemas/private_scaffold.h"
#include "sotto/schemas/schema_scaffold.h"
#include "sotto/schemas/schema_text.h"
#include "sotto/streams/example_reader.h"
#include "sotto/streams/generator.h"
#include "sotto/streams/life_stream.h"
#include "sotto/streams/schema.h"
