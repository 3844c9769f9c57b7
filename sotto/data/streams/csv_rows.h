#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/row_format.h"

namespace sotto {

// Rows of a csv file, one field for each column. A row all of whose fields are
// empty, but perhaps the user's, is an absent round. A column "honest", which
// generated streams have, is not a feature unless the schema says so.
class CsvRows final : public RowFormat {
 public:
  struct Params {
    std::vector<std::string> columns = {};  // of the file
    std::string label = {};                 // "" is the schema's, or y
    std::string user = {};                  // "" is user, if there is one
    bool label_optional = false;
    LabelReading label_reading = LabelReading::kStrict;
    LabelWords labels = {};
    EncodingParams encoding = {};
  };
  // Fails with kInvalidArgument if a column that is asked for is missing.
  static Result<std::unique_ptr<CsvRows>> Create(Params params);

  bool Parse(std::string_view line, Round& round, RowError& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const StreamLabel& label() const override { return label_; }

 private:
  enum class Role { kFeature, kLabel, kUser, kHonest };

  CsvRows(Encoding encoding, StreamLabel label)
      : encoding_(std::move(encoding)), label_(std::move(label)) {}
  void Locate(std::uint32_t index, RowError& fault) const override;
  Status SetRoles(const Params& params);
  Status SetSchemaFields();
  bool ParsePlain(std::string_view line, Round& round, RowError& fault);
  bool ExplainCount(std::string_view line, RowError& fault);
  bool ParseField(std::size_t c, std::string_view field, Round& round,
                  RowError& fault);
  bool ParseWithSchema(std::string_view line, Round& round, RowError& fault);
  bool HashField(std::size_t c, std::string_view field, FeatureVector& x,
                 RowError& fault);
  bool IsEmptyRow(std::string_view line);
  bool FieldsAreEmpty() const;

  Encoding encoding_;
  StreamLabel label_;
  std::vector<std::string> columns_;
  std::vector<Role> roles_;
  std::vector<std::uint32_t> index_;       // of each column that is a feature
  std::vector<std::size_t> schema_field_;  // the field of each schema column
  std::optional<std::size_t> label_field_;
  std::optional<std::size_t> user_field_;
  std::optional<std::size_t> honest_field_;
  bool hashed_ = false;  // whether this row has buckets, which need sorting
  std::vector<std::string_view> fields_;
  std::string scratch_;
  FeatureVector sorting_;
};

}  // namespace sotto
