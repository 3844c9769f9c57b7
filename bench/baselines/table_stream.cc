#include "bench/baselines/table_stream.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "bench/harness/measure.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

Result<Label> ReadLabel(const LabelType& type, std::string_view field) {
  if (type.kind == LabelType::Kind::kNumber) {
    return Label::OfNumber(std::stod(std::string(field)));
  }
  const auto place = std::ranges::find(type.names, field);
  if (place == type.names.end()) {
    return InvalidArgument("no label is called " + std::string(field));
  }
  const auto index = static_cast<std::uint32_t>(place - type.names.begin());
  if (type.kind == LabelType::Kind::kTwo) return Label(index == 1);
  return Label::OfClass(index);
}

Result<std::vector<std::size_t>> Places(const TableReader& reader,
                                        const Schema& schema) {
  std::vector<std::size_t> places;
  const auto add = [&](const std::string& name) {
    const auto place = reader.Find(name);
    if (place) places.push_back(*place);
    return place.has_value();
  };
  for (const SchemaColumn& column : schema.columns) {
    if (!add(column.name)) return InvalidArgument("no column " + column.name);
  }
  if (!add(schema.label->column)) return InvalidArgument("no label column");
  return places;
}

// The label's place is the last.
Status AddRow(const Encoding& encoding, std::span<const std::size_t> places,
              std::span<const std::string_view> fields, TableStream& stream) {
  FeatureVector x;
  RowError fault;
  for (std::size_t c = 0; c + 1 < places.size(); ++c) {
    if (!encoding.Column(c, fields[places[c]], x, fault)) {
      return InvalidArgument("column " + stream.schema.columns[c].name +
                             " cannot be " + std::string(fields[places[c]]));
    }
  }
  SOTTO_TRY_ASSIGN(const auto label,
                   ReadLabel(stream.label(), fields[places.back()]));
  stream.rows.push_back(std::move(x));
  stream.labels.push_back(label);
  return Ok();
}

Schema MakeGeneratedSchema() {
  Schema schema;
  schema.label = SchemaLabel{.column = "y", .type = {}};
  for (int c = 0; c < 12; ++c) {
    SchemaColumn column;
    column.name = "c" + std::to_string(c);
    if (c % 2 == 1) {
      column.range = {0, 1};
    } else {
      column.type = SchemaColumn::Type::kCategory;
      for (int v = 0; v < 4 + c; ++v) {
        column.values.push_back(std::to_string(v));
      }
    }
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

// Draws one row. `turn` is the sign of the part of the rule that changes.
// Returns its score, the log-odds of label 1.
double GenerateRow(const Schema& schema, double turn, Rng& rng,
                   FeatureVector& x) {
  std::uint32_t first = 0;
  double score = -0.5;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const auto values =
        static_cast<std::uint32_t>(schema.columns[c].values.size());
    const double u = Uniform(rng);
    if (values == 0) {
      x.push_back({first++, u});
      if (c == 1) score += 4 * (2 * u - 1);
      if (c == 5) score += u > 0.7 ? 2 : -1;
      continue;
    }
    const auto v = static_cast<std::uint32_t>(u * values);
    x.push_back({first + v, 1});
    if (c == 2) score += turn * (v % 2 == 0 ? 2 : -2);
    if (c == 6) score += v % 3 == 0 ? 2 : -1;
    first += values;
  }
  return score;
}

}  // namespace

TableStream GenerateTableStream(std::uint64_t rows) {
  TableStream stream{.name = "generated",
                     .schema = MakeGeneratedSchema(),
                     .rows = {},
                     .labels = {}};
  for (const SchemaColumn& column : stream.schema.columns) {
    stream.features += static_cast<std::uint32_t>(
        std::max<std::size_t>(1, column.values.size()));
  }
  testing::SeededRng rng(11);
  for (std::uint64_t i = 0; i < rows; ++i) {
    FeatureVector x;
    const double score =
        GenerateRow(stream.schema, 2 * i < rows ? 1 : -1, rng, x);
    stream.rows.push_back(std::move(x));
    stream.labels.emplace_back(Uniform(rng) < 1 / (1 + std::exp(-score)));
  }
  return stream;
}

Result<TableStream> ReadTableStream(const std::string& folder,
                                    const std::string& name,
                                    std::uint64_t limit) {
  const std::string path = folder + "/" + name;
  SOTTO_TRY_ASSIGN(auto schema, Schema::FromFile(path + ".schema.json"));
  if (!schema.label) return InvalidArgument(name + ": the schema has no label");
  SOTTO_TRY_ASSIGN(auto encoding,
                   Encoding::Create({.schema = schema, .clamp = true}, 0));
  SOTTO_TRY_ASSIGN(auto reader, TableReader::Open({.path = path + ".csv.gz"}));
  SOTTO_TRY_ASSIGN(const auto places, Places(reader, schema));
  TableStream stream{.name = name,
                     .schema = std::move(schema),
                     .features = encoding.features(),
                     .rows = {},
                     .labels = {}};
  std::span<const std::string_view> fields;
  while (limit == 0 || stream.rows.size() < limit) {
    SOTTO_TRY_ASSIGN(const auto more, reader.Next(fields));
    if (!more) break;
    if (fields.empty()) continue;
    if (Status added = AddRow(encoding, places, fields, stream); !added) {
      return InvalidArgument(reader.position() + ": " + added.error().message);
    }
  }
  return stream;
}

}  // namespace sotto::bench
