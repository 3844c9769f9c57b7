#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/streams/row_format.h"

namespace sotto {

// Rows of a csv file, one field for each column.
class CsvRows final : public RowFormat {
 public:
  struct Params {
    std::vector<std::string> columns = {};  // of the file
    std::string label = {};                 // "" is the schema's, or y
    std::string user = {};                  // "" is user, if there is one
    bool label_optional = false;
    LabelWords::Words labels = {};
    EncodingParams encoding = {};
  };
  // Fails with kInvalidArgument if a column that is asked for is missing.
  static Result<std::unique_ptr<CsvRows>> Create(Params params);

  Outcome Parse(std::string_view line, Example& example,
                RowFault& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  std::string Where(std::uint32_t index) const override;

 private:
  enum class Role { kFeature, kLabel, kUser };

  CsvRows(Encoding encoding, LabelWords labels)
      : encoding_(std::move(encoding)), labels_(std::move(labels)) {}
  Status SetRoles(const Params& params);
  Status SetSchemaFields();
  bool ParsePlain(std::string_view line, Example& example, RowFault& fault);
  bool ExplainCount(std::string_view line, RowFault& fault);
  bool ParseField(std::size_t c, std::string_view field, Example& example,
                  RowFault& fault);
  bool ParseWithSchema(std::string_view line, Example& example,
                       RowFault& fault);
  bool HashField(std::size_t c, std::string_view field, FeatureVector& x,
                 RowFault& fault);

  Encoding encoding_;
  LabelWords labels_;
  std::vector<std::string> columns_;
  std::vector<Role> roles_;
  std::vector<std::uint32_t> index_;       // of each column that is a feature
  std::vector<std::size_t> schema_field_;  // the field of each schema column
  std::optional<std::size_t> label_;
  std::optional<std::size_t> user_;
  bool hashed_ = false;  // whether this row has buckets, which need sorting
  std::vector<std::string_view> fields_;
  std::string scratch_;
  FeatureVector sorting_;
};

}  // namespace sotto
