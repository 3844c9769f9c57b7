#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// c1, c2, ... up to `count`: the columns of a csv file without a header.
std::vector<std::string> NumberedColumns(std::uint32_t count);

// The columns of a csv file without a header. Their number must be public, so
// it is not taken from a row: it is `count` if that is given; otherwise the
// names, the label's among them, must be all of c1, c2, ... up to some number.
// Fails with kInvalidArgument and says what to give.
Result<std::vector<std::string>> HeaderlessColumns(
    std::optional<std::uint32_t> count, const std::vector<std::string>& names);

// The place of the user column: of `named`, or of `user` if there is such a
// column and it is not the label's. Fails with kInvalidArgument if `named` is
// not a column or is the label's.
Result<std::optional<std::size_t>> FindUserColumn(
    const std::vector<std::string>& columns, const std::string& named,
    const std::string& label);

// All the names a schema has, the label's included.
std::vector<std::string> ListNames(const Schema& schema);

}  // namespace sotto
