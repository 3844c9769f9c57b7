#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/streams/row_format.h"

namespace sotto {

// Lines {"x": [0.5, "red"] or {"age": 31, "color": "red"}, "y": 1,
// "user": "u1"}; other keys are ignored.
class JsonlRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  static Result<std::unique_ptr<JsonlRows>> Create(EncodingParams encoding,
                                                   LabelWords labels);

  Outcome Parse(std::string_view line, Example& example,
                RowFault& fault) override;
  const Encoding& encoding() const override { return encoding_; }

 private:
  JsonlRows(Encoding encoding, LabelWords labels)
      : encoding_(std::move(encoding)), labels_(std::move(labels)) {}

  Encoding encoding_;
  LabelWords labels_;
  FeatureVector sorting_;
};

}  // namespace sotto
