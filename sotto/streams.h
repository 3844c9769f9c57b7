#pragma once

// Examples from files and pipes (csv, libsvm, vw, jsonl, gzipped or not),
// public schemas, synthetic streams, and states on disk.

#include "sotto/files/state_file.h"
#include "sotto/streams/example_reader.h"
#include "sotto/streams/generator.h"
#include "sotto/streams/schema.h"
