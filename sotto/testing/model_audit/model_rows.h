#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sotto/audit/program/neighbours.h"
#include "sotto/testing/model_audit/model_case.h"

namespace sotto {

// The kinds of columns of a made-up stream: a model that refuses one kind may
// take another.
enum class ModelColumns : std::uint8_t {
  kSigns,   // a, b, c, each -1 or 1
  kPoints,  // x, an integer from 0 to 3
};

inline constexpr std::size_t kModelRows = 40;
inline constexpr std::size_t kProtectedRow = 17;

std::size_t MakeColumns(ModelColumns columns);

// A stream of kModelRows rows that can be learned. With names, the user of the
// protected row comes again later. `seed` tells one from another.
ProgramStream ModelStream(const ModelFormat& format, ModelColumns columns,
                          LabelType::Kind label, std::uint64_t seed);

// The same without a row.
ProgramStream EmptyStream(const ModelFormat& format, ModelColumns columns);

// The schema of it, which is needed where labels are not one of two.
std::string ModelSchema(ModelColumns columns, LabelType::Kind label);

}  // namespace sotto
