#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"

namespace sotto::bench {

// A table in the order in which its rows came, in memory.
struct TableStream {
  std::string name;
  Schema schema;  // with its label
  std::uint32_t features = 0;
  // As the schema's Encoding gives them; numbers outside their range are moved
  // to its end.
  std::vector<FeatureVector> rows;
  std::vector<Label> labels;

  const LabelType& label() const { return schema.label->type; }
};

// FOLDER/NAME.csv.gz by FOLDER/NAME.schema.json, at most `limit` rows of it (0:
// all). Fails with kInvalidArgument.
Result<TableStream> ReadTableStream(const std::string& folder,
                                    const std::string& name,
                                    std::uint64_t limit);

// A stream called "generated": mixed columns and a noisy rule over four of them
// that changes once, at half time.
TableStream GenerateTableStream(std::uint64_t rows);

}  // namespace sotto::bench
