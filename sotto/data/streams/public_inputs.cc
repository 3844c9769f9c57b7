#include "sotto/data/streams/public_inputs.h"

#include <array>
#include <cstddef>

#include "sotto/data/streams/row_error.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

// Texts one after the other, every list behind its length, so that no two
// different descriptions read alike.
using Parts = std::vector<std::string>;

void AddList(const std::vector<std::string>& texts, Parts& parts) {
  parts.push_back(std::to_string(texts.size()));
  parts.insert(parts.end(), texts.begin(), texts.end());
}

void AddRange(double low, double high, Parts& parts) {
  AddList({ShownNumber(low), ShownNumber(high)}, parts);
}

void AddColumn(const SchemaColumn& column, Parts& parts) {
  parts.push_back(column.name);
  parts.push_back(std::to_string(static_cast<int>(column.type)));
  AddList(column.values, parts);
  if (column.range) {
    AddRange(column.range->first, column.range->second, parts);
  } else {
    AddList({}, parts);
  }
  if (column.missing) parts.emplace_back("may be missing");
  if (column.other) parts.emplace_back("takes other values");
}

void AddEncoding(const Encoding& encoding, Parts& parts) {
  if (encoding.schema() == nullptr) {
    parts.emplace_back("no schema");
    AddList(encoding.columns(), parts);
    parts.push_back(std::to_string(encoding.dense()));
    parts.push_back(std::to_string(encoding.features()));
    return;
  }
  const EncodingParams& params = encoding.params();
  parts.emplace_back(params.raw_numbers ? "raw numbers" : "scaled numbers");
  parts.emplace_back(params.clamp ? "clamped" : "not clamped");
  for (const SchemaColumn& column : encoding.schema()->columns) {
    AddColumn(column, parts);
  }
}

void AddLabel(std::string_view name, const LabelType& label, Parts& parts) {
  parts.emplace_back("label");
  parts.emplace_back(name);
  parts.push_back(std::to_string(static_cast<int>(label.kind)));
  AddList(label.names, parts);
  if (label.kind == LabelType::Kind::kNumber) {
    AddRange(label.low, label.high, parts);
  }
}

}  // namespace

std::vector<std::string> FeatureNames(const Encoding& encoding) {
  if (encoding.dense() > kMostNames) return {};
  if (encoding.schema() == nullptr) {
    std::vector<std::string> names = encoding.columns();
    // Declared, but not in the file.
    while (!names.empty() && names.size() < encoding.dense()) {
      names.push_back(std::to_string(names.size()));
    }
    return names;
  }
  std::vector<std::string> names;
  for (const SchemaColumn& column : encoding.schema()->columns) {
    if (column.values.empty()) names.push_back(column.name);
    for (const std::string& value : column.values) {
      names.push_back(column.name + "=" + value);
    }
  }
  return names;
}

std::string InputFingerprint(const Encoding& encoding,
                             std::string_view label_name,
                             const LabelType& label) {
  Parts parts;
  AddLabel(label_name, label, parts);
  AddEncoding(encoding, parts);
  const std::vector<ContextItem> items(parts.begin(), parts.end());
  // No secret: the key only serves to hash.
  const std::array<std::byte, Key::kBytes> zeros{};
  const Key print = Key::FromBytes(zeros).Derive("inputs-v1", "print", items);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : print.bytes()) {
    const auto value = static_cast<unsigned>(byte);
    text += kHex[value >> 4];
    text += kHex[value & 15];
  }
  return text;
}

}  // namespace sotto
