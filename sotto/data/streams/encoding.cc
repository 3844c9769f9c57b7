#include "sotto/data/streams/encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "sotto/data/streams/decimal.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 31;

// Up to eight bytes, the first in the lowest place, on every machine.
std::uint64_t Block(const char* bytes, std::size_t size) {
  std::uint64_t block = 0;
  if (std::endian::native == std::endian::little && size == 8) {
    std::memcpy(&block, bytes, 8);
    return block;
  }
  for (std::size_t i = size; i > 0; --i) {
    block = block << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return block;
}

// Eight bytes at a time, then the finaliser of MurmurHash3: public, fixed for
// good, and no defence against anyone who looks for collisions.
std::uint64_t Hash(std::string_view text) {
  std::uint64_t hash = text.size() * 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < text.size(); i += 8) {
    const std::size_t size = std::min<std::size_t>(8, text.size() - i);
    hash = (hash ^ Block(text.data() + i, size)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  hash *= 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

// FNV-1a: the bucket of a value is part of published models.
std::uint64_t HashValue(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211U;
  }
  return hash ^ (hash >> 32);
}

Schema HashedColumns(const std::vector<std::string>& names,
                     std::uint32_t buckets) {
  Schema schema;
  for (const std::string& name : names) {
    schema.columns.push_back({.name = name,
                              .type = SchemaColumn::Type::kCategory,
                              .buckets = buckets});
  }
  return schema;
}

}  // namespace

Result<Encoding> Encoding::Create(EncodingParams params, std::uint32_t dense) {
  if (params.hash_bits < 0 || params.hash_bits > 30) {
    return InvalidArgument("hash bits must be in [0, 30], not " +
                           std::to_string(params.hash_bits));
  }
  Encoding encoding;
  std::uint64_t total = 0;
  if (params.schema) {
    for (const SchemaColumn& column : params.schema->columns) {
      const auto first = static_cast<std::uint32_t>(total);
      encoding.first_.push_back(first);
      ValueIndex& values = encoding.values_.emplace_back();
      for (std::uint32_t i = 0; i < column.listed().size(); ++i) {
        values.Insert(column.values[i], first + i);
      }
      total += column.features();
    }
    encoding.dense_ = static_cast<std::uint32_t>(total);
  } else {
    encoding.dense_ = params.features.value_or(dense);
    if (params.hash_bits > 0 && !params.numbers_only) {
      encoding.buckets_ = 1U << params.hash_bits;
    }
    total = std::uint64_t{encoding.dense_} + encoding.buckets_;
  }
  if (total > kMaxFeatures) {
    return InvalidArgument("too many features: " + std::to_string(total) +
                           ", at most 2^31 can be told apart");
  }
  encoding.features_ = static_cast<std::uint32_t>(total);
  encoding.params_ = std::move(params);
  return encoding;
}

Result<Encoding> Encoding::Create(EncodingParams params,
                                  std::vector<std::string> columns) {
  if (params.column_buckets > 0 && !params.schema) {
    params.schema = HashedColumns(columns, params.column_buckets);
  }
  auto encoding =
      Create(std::move(params), static_cast<std::uint32_t>(columns.size()));
  if (encoding && !encoding->params_.schema) {
    encoding->columns_ = std::move(columns);
  }
  return encoding;
}

std::uint32_t Encoding::Bucket(std::string_view column,
                               std::string_view value) const {
  std::array<char, 256> joined;
  const std::size_t size = column.size() + 1 + value.size();
  if (size > joined.size()) {
    return Bucket(std::string(column) + "=" + std::string(value));
  }
  char* end = std::copy(column.begin(), column.end(), joined.data());
  *end++ = '=';
  std::copy(value.begin(), value.end(), end);
  return Bucket({joined.data(), size});
}

std::uint32_t Encoding::Bucket(std::string_view name) const {
  return dense_ + static_cast<std::uint32_t>(Hash(name) & (buckets_ - 1));
}

bool Encoding::Column(std::size_t c, std::string_view field, FeatureVector& out,
                      RowError& fault) const {
  const SchemaColumn& column = params_.schema->columns[c];
  if (!column.missing_of.empty()) {
    out.push_back({first_[c], IsMissing(field) ? 1.0 : 0.0});
    return true;
  }
  switch (column.type) {
    case SchemaColumn::Type::kCategory:
      return Category(c, field, out, fault);
    case SchemaColumn::Type::kBoolean:
      return Boolean(c, field, out, fault);
    case SchemaColumn::Type::kNumber:
      break;
  }
  double value = 0;
  if (ParseDecimal(field, value)) return NumberColumn(c, value, out, fault);
  if (column.missing && IsMissing(field)) return true;
  fault.Set(SpellsNotFinite(field) ? FaultReason::kNotFinite
                                   : FaultReason::kNotNumber,
            Shown(field), "a finite number");
  return false;
}

bool Encoding::NumberColumn(std::size_t c, double value, FeatureVector& out,
                            RowError& fault) const {
  const SchemaColumn& column = params_.schema->columns[c];
  if (!column.missing_of.empty()) {
    out.push_back({first_[c], 0.0});
    return true;
  }
  const bool boolean = column.type == SchemaColumn::Type::kBoolean;
  if (boolean && (value == 0 || value == 1)) {
    out.push_back({first_[c], value});
    return true;
  }
  if (column.type != SchemaColumn::Type::kNumber) {
    if (column.other || column.buckets > 0) {
      return Category(c, ShownNumber(value), out, fault);
    }
    const std::vector<std::string> listed(column.listed().begin(),
                                          column.listed().end());
    fault.Set(FaultReason::kValue, boolean ? ShownNumber(value) : "a number",
              boolean ? "true or false" : "one of " + ShownList(listed));
    return false;
  }
  if (column.range) {
    const auto [low, high] = *column.range;
    if (value < low || value > high) ++fault.clamped;
    value = std::clamp(value, low, high);
    if (!params_.raw_numbers) value = (value - low) / (high - low);
  }
  out.push_back({first_[c], value});
  return true;
}

bool Encoding::Category(std::size_t c, std::string_view field,
                        FeatureVector& out, RowError& fault) const {
  const SchemaColumn& column = params_.schema->columns[c];
  auto index = values_[c].Find(field);
  const std::uint32_t end = first_[c] + column.features();
  if (!index && column.buckets > 0) {
    index = first_[c] +
            static_cast<std::uint32_t>(HashValue(field) % column.buckets);
  } else if (!index && column.missing && IsMissing(field)) {
    index = end - 1;
  } else if (!index && column.other) {
    index = end - (column.missing ? 2 : 1);
  }
  if (index) {
    out.push_back({*index, 1.0});
    return true;
  }
  fault.Set(
      FaultReason::kValue, Shown(field),
      "one of " + ShownList({column.listed().begin(), column.listed().end()}));
  return false;
}

bool Encoding::Boolean(std::size_t c, std::string_view field,
                       FeatureVector& out, RowError& fault) const {
  const bool yes = field == "1" || field == "true" || field == "True";
  if (!yes && field != "0" && field != "false" && field != "False") {
    if (params_.schema->columns[c].missing && IsMissing(field)) return true;
    fault.Set(FaultReason::kValue, Shown(field), "0 or 1, true or false");
    return false;
  }
  out.push_back({first_[c], yes ? 1.0 : 0.0});
  return true;
}

void Encoding::TooManyInRow(RowError& fault) const {
  const std::string most = std::to_string(params_.max_per_row);
  fault.Say(FaultReason::kTooMany,
            "too many features: more than " + most + " in one row",
            "at most " + most + " features in one row");
}

std::string_view Encoding::WithoutBuckets() const {
  return params_.numbers_only ? "a schema" : "a schema or hash bits";
}

bool Encoding::TextFeature(std::string_view column, std::string_view value,
                           FeatureVector& out, RowError& fault) const {
  if (value.empty()) {
    fault.Set(FaultReason::kNotNumber, "missing", "a value");
    return false;
  }
  if (SpellsNotFinite(value)) {
    fault.Set(FaultReason::kNotFinite, Shown(value), "a finite number");
    return false;
  }
  if (!has_buckets()) {
    fault.Set(FaultReason::kNotNumber, Shown(value),
              "a number (strings need " + std::string(WithoutBuckets()) + ")");
    return false;
  }
  out.push_back({Bucket(column, value), 1.0});
  return true;
}

namespace {

void InsertionSort(FeatureVector& x) {
  for (std::size_t i = 1; i < x.size(); ++i) {
    const Feature moved = x[i];
    std::size_t j = i;
    for (; j > 0 && x[j - 1].index > moved.index; --j) x[j] = x[j - 1];
    x[j] = moved;
  }
}

// Six bits at a time, the lowest first: keeps the order of equal indices.
void RadixSort(FeatureVector& x, FeatureVector& scratch) {
  constexpr int kBits = 6;  // few enough that rows of 100 features gain
  constexpr std::uint32_t kDigits = 1U << kBits;
  std::uint32_t used = 0;
  for (const Feature& feature : x) used |= feature.index;
  scratch.resize(x.size());
  for (int shift = 0; shift < 32 && (used >> shift) != 0; shift += kBits) {
    std::array<std::uint32_t, kDigits + 1> start{};
    for (const Feature& feature : x) {
      ++start[((feature.index >> shift) % kDigits) + 1];
    }
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    for (const Feature& feature : x) {
      scratch[start[(feature.index >> shift) % kDigits]++] = feature;
    }
    x.swap(scratch);
  }
}

}  // namespace

bool SortFeatures(FeatureVector& x, FeatureVector& scratch) {
  constexpr std::size_t kFew = 24;
  const auto not_less = [](const Feature& a, const Feature& b) {
    return a.index >= b.index;
  };
  if (std::adjacent_find(x.begin(), x.end(), not_less) == x.end()) return true;
  if (x.size() <= kFew) {
    InsertionSort(x);
  } else {
    RadixSort(x, scratch);
  }
  std::size_t kept = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[i].index == x[kept].index) {
      x[kept].value += x[i].value;
      if (!std::isfinite(x[kept].value)) return false;
    } else {
      x[++kept] = x[i];
    }
  }
  if (!x.empty()) x.resize(kept + 1);
  return true;
}

}  // namespace sotto
