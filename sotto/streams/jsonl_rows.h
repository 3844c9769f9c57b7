#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/streams/row_format.h"

namespace sotto {

// Lines {"x": [0.5, "red"] or {"age": 31, "color": "red"}, "y": 1,
// "user": "u1"}; other keys are ignored. Without "x" and "y": an absent round.
class JsonlRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  static Result<std::unique_ptr<JsonlRows>> Create(EncodingParams encoding,
                                                   LabelParser labels,
                                                   std::string label_name);

  bool Parse(std::string_view line, Round& round, RowFault& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const LabelParser& labels() const override { return labels_; }
  const std::string& label_name() const override { return label_name_; }

 private:
  JsonlRows(Encoding encoding, LabelParser labels, std::string label_name)
      : encoding_(std::move(encoding)),
        labels_(std::move(labels)),
        label_name_(std::move(label_name)) {}

  Encoding encoding_;
  LabelParser labels_;
  std::string label_name_;
  FeatureVector sorting_;
};

}  // namespace sotto
