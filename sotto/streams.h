#pragma once

// Examples from files and pipes (csv, libsvm, vw, jsonl, gzipped or not),
// public schemas and ways to make one, synthetic streams, and states on disk.

#include "sotto/data/files/state_file.h"
#include "sotto/data/schemas/private_ranges.h"
#include "sotto/data/schemas/private_scaffold.h"
#include "sotto/data/schemas/schema_scaffold.h"
#include "sotto/data/schemas/schema_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/generator.h"
#include "sotto/data/streams/life_stream.h"
#include "sotto/data/streams/schema.h"
