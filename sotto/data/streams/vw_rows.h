#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/streams/row_format.h"

namespace sotto {

// Lines "label 'tag|namespace name:value name ... |other ..." of Vowpal Wabbit.
// The tag is the user. Names are hashed together with their namespace, except
// that an integer without a namespace, below the number of features that was
// declared, is an index. A tag without a bar, 'ann, is an absent round.
class VwRows final : public RowFormat {
 public:
  // Fails with kInvalidArgument if there is a schema.
  static Result<std::unique_ptr<VwRows>> Create(EncodingParams encoding,
                                                StreamLabel label);

  bool Parse(std::string_view line, Round& round, RowError& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const StreamLabel& label() const override { return label_; }

 private:
  // A feature's name, and its value if it is an integer.
  struct Name {
    std::string_view text;
    bool whole = false;
    std::uint64_t number = 0;
  };

  VwRows(Encoding encoding, StreamLabel label)
      : encoding_(std::move(encoding)), label_(std::move(label)) {}
  bool ParseWithBar(std::string_view line, std::size_t bar, Round& round,
                    RowError& fault);
  bool ParseHead(std::string_view head, std::optional<Label>& y,
                 RowError& fault) const;
  bool ParseFeatures(const char* line, const char* at, const char* end,
                     FeatureVector& x, RowError& fault);
  bool ParseSpace(std::string_view word, RowError& fault);
  static const char* TakeName(const char* at, const char* end, Name& name);
  // The end of the feature at `at`, or nullptr and the fault.
  const char* ParseFeature(const char* at, const char* end, FeatureVector& x,
                           RowError& fault);
  bool Bucket(const Name& name, std::uint32_t& index, RowError& fault);

  Encoding encoding_;
  StreamLabel label_;
  std::string space_;  // the namespace and '^', which names are put behind
  std::size_t space_size_ = 0;
  double scale_ = 1;
  FeatureVector sorting_;
};

}  // namespace sotto
