#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/schema.h"
#include "sotto/data/streams/value_index.h"

namespace sotto {

// Public decisions about the features before a stream starts.
struct EncodingParams {
  // Columns by name; without it names and strings are hashed.
  std::optional<Schema> schema = {};
  // Strings go into 2^hash_bits buckets; 0: there are none, and a field that is
  // not a number is an error.
  int hash_bits = 18;
  // Without a schema: no buckets, whatever hash_bits says, because the model
  // would take one for something it is not. A string is an error, and so is a
  // number that has a name and no place.
  bool numbers_only = false;
  // Number of features that are numbers with their own index: a greater index
  // is an error. Absent: the columns of a csv file; 2^18 for libsvm and for
  // lists in jsonl; none for vw, where all names are then hashed.
  std::optional<std::uint32_t> features = {};
  // A number with a range is scaled to [0, 1] unless this is set.
  bool raw_numbers = false;
  // Part of the fingerprint only, so that states of earlier versions can be
  // loaded: a number outside its range is always moved to the nearer end.
  bool clamp = false;
  // Without a schema, for csv: every column is a category whose values are
  // hashed into this many buckets, apart from other columns; 0 disables this.
  std::uint32_t column_buckets = 0;
  // Maximum number of features in one row.
  std::uint32_t max_per_row = std::uint32_t{1} << 20;
};

// The map from named fields to feature indices. Nothing in it is learned from
// data: it depends on its parameters and the public names of the columns only,
// so it may be shared by all copies of a learner.
//
//   auto encoding = Encoding::Create({.schema = schema}, 0);
//   encoding->features();                        // the public dimension
//   encoding->Column(2, "red", features, fault)  // appends what "red" means
//
// Without a schema the indices are a dense block of `dense()` numbers, then
// 2^hash_bits buckets. With one: every number and Boolean is one index, every
// category one index for each of its values, in the schema's order.
//
// Threads: immutable; calls may run at the same time.
class Encoding {
 public:
  // `dense` is used if the parameters leave it open and there is no schema.
  // Fails with kInvalidArgument if hash_bits is not in [0, 30] or there would
  // be more than 2^31 features.
  static Result<Encoding> Create(EncodingParams params, std::uint32_t dense);
  // The same with a number for each of these names.
  static Result<Encoding> Create(EncodingParams params,
                                 std::vector<std::string> columns);

  // Every index is below this.
  std::uint32_t features() const { return features_; }
  std::uint32_t dense() const { return dense_; }
  std::uint32_t max_per_row() const { return params_.max_per_row; }
  const EncodingParams& params() const { return params_; }
  // Without a schema: what the first indices are called, if they have names.
  const std::vector<std::string>& columns() const { return columns_; }
  const Schema* schema() const {
    return params_.schema ? &*params_.schema : nullptr;
  }

  // Without a schema: the bucket of "column=value", or of "name" alone.
  // Requires has_buckets().
  bool has_buckets() const { return buckets_ != 0; }
  std::uint32_t Bucket(std::string_view column, std::string_view value) const;
  std::uint32_t Bucket(std::string_view name) const;

  // Without a schema: appends the bucket of a text that is not a number. False,
  // and the fault, where there must be a number.
  bool TextFeature(std::string_view column, std::string_view value,
                   FeatureVector& out, RowError& fault) const;
  // The advice for names and strings where there are no buckets.
  std::string_view WithoutBuckets() const;
  // Says that a row has more features than it may.
  void TooManyInRow(RowError& fault) const;

  // With a schema: appends the feature that `field` means in its column `c`.
  // Columns must come in order. False, and the fault, if it means nothing. A
  // number that was moved into its range is counted in the fault.
  bool Column(std::size_t c, std::string_view field, FeatureVector& out,
              RowError& fault) const;
  // The same for a field that is known to be a number.
  bool NumberColumn(std::size_t c, double value, FeatureVector& out,
                    RowError& fault) const;

 private:
  Encoding() = default;
  bool Category(std::size_t c, std::string_view field, FeatureVector& out,
                RowError& fault) const;
  bool Boolean(std::size_t c, std::string_view field, FeatureVector& out,
               RowError& fault) const;

  EncodingParams params_;
  std::vector<std::string> columns_;
  std::vector<std::uint32_t> first_;  // index of each schema column
  std::vector<ValueIndex> values_;    // of each schema column
  std::uint32_t dense_ = 0;
  std::uint32_t buckets_ = 0;
  std::uint32_t features_ = 0;
};

// Sorts by index and adds up what has the same index: buckets may collide.
// False if a sum is not finite. `scratch` is reused from row to row.
bool SortFeatures(FeatureVector& x, FeatureVector& scratch);

}  // namespace sotto
