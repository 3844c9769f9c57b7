#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/streams/row_format.h"

namespace sotto {

// Lines "label index:value index:value ... # comment". Indices count from 1:
// index 1 is feature 0. There are no users; a line with nothing but a comment
// is an absent round.
class LibsvmRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  // Fails with kInvalidArgument if there is a schema: there are no names here.
  static Result<std::unique_ptr<LibsvmRows>> Create(EncodingParams encoding,
                                                    LabelParser labels,
                                                    std::string label_name);

  bool Parse(std::string_view line, Round& round, RowFault& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const LabelParser& labels() const override { return labels_; }
  const std::string& label_name() const override { return label_name_; }

 private:
  LibsvmRows(Encoding encoding, LabelParser labels, std::string label_name)
      : encoding_(std::move(encoding)),
        labels_(std::move(labels)),
        label_name_(std::move(label_name)) {}
  bool ParseFeatures(const char* line, const char* at, const char* end,
                     FeatureVector& x, RowFault& fault) const;
  bool CheckIndex(std::uint64_t index, FeatureVector& x, RowFault& fault) const;

  Encoding encoding_;
  LabelParser labels_;
  std::string label_name_;
};

}  // namespace sotto
