#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/streams/row_format.h"

namespace sotto {

// Lines "label index:value index:value ... # comment". Indices count from 1:
// index 1 is feature 0. There are no users; a line with only a comment is an
// absent round.
class LibsvmRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  // Fails with kInvalidArgument if there is a schema: there are no names here.
  static Result<std::unique_ptr<LibsvmRows>> Create(EncodingParams encoding,
                                                    StreamLabel label);

  bool Parse(std::string_view line, Round& round, RowError& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const StreamLabel& label() const override { return label_; }

 private:
  LibsvmRows(Encoding encoding, StreamLabel label)
      : encoding_(std::move(encoding)), label_(std::move(label)) {}
  bool ParseFeatures(const char* line, const char* at, const char* end,
                     FeatureVector& x, RowError& fault) const;
  bool CheckIndex(std::uint64_t index, FeatureVector& x, RowError& fault) const;

  Encoding encoding_;
  StreamLabel label_;
};

}  // namespace sotto
