#pragma once

#include <memory>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/streams/row_format.h"

namespace sotto {

// Lines "label index:value index:value ... # comment". Indices count from 1:
// index 1 is feature 0.
class LibsvmRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  // Fails with kInvalidArgument if there is a schema: there are no names here.
  static Result<std::unique_ptr<LibsvmRows>> Create(EncodingParams encoding,
                                                    LabelWords labels);

  Outcome Parse(std::string_view line, Example& example,
                RowFault& fault) override;
  const Encoding& encoding() const override { return encoding_; }

 private:
  LibsvmRows(Encoding encoding, LabelWords labels)
      : encoding_(std::move(encoding)), labels_(std::move(labels)) {}
  bool ParseFeatures(const char* line, const char* at, const char* end,
                     FeatureVector& x, RowFault& fault) const;
  bool CheckIndex(std::uint64_t index, FeatureVector& x, RowFault& fault) const;

  Encoding encoding_;
  LabelWords labels_;
};

}  // namespace sotto
