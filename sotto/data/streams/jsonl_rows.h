#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/streams/row_format.h"

namespace sotto {

// Lines {"x": [0.5, "red"] or {"age": 31, "color": "red"}, "y": 1,
// "user": "u1"}; other keys are ignored. Without "x" and "y": an absent round.
class JsonlRows final : public RowFormat {
 public:
  static constexpr std::uint32_t kDefaultFeatures = std::uint32_t{1} << 18;

  static Result<std::unique_ptr<JsonlRows>> Create(EncodingParams encoding,
                                                   StreamLabel label);
  ~JsonlRows() override;

  bool Parse(std::string_view line, Round& round, RowError& fault) override;
  const Encoding& encoding() const override { return encoding_; }
  const StreamLabel& label() const override { return label_; }

  // The longest JSON text of an id, in bytes.
  static constexpr std::size_t kMaxIdBytes = 1024;

  // The fields that only live lines have.
  struct LiveFields {
    std::string id = {};  // its JSON text; empty: none
    // The line is a label: it starts with kLabelStart, or it is a complete
    // object with the key "ticket". "Complete" means that its braces, brackets
    // and strings close and that nothing follows it.
    bool label = false;
    std::string ticket = {};  // of a label; empty: it cannot be read
  };
  static constexpr std::string_view kLabelStart = "{\"ticket\"";
  // Parses a line that may have an "id" and, instead of features, a "ticket"
  // with a label. If it returns false, `fields` has what can be read, as
  // `round` has the user's name; `fields.label` is right in either case.
  bool ParseLive(std::string_view line, Round& round, LiveFields& fields,
                 RowError& fault);

 private:
  class Parser;
  JsonlRows(Encoding encoding, StreamLabel label);

  Encoding encoding_;
  StreamLabel label_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace sotto
