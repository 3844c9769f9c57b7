#include "bench/baselines/table_stream.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/table_reader.h"

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

}  // namespace

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
