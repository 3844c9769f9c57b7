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

  // What else a line may say while somebody waits for its answer.
  struct More {
    std::string id = {};  // its JSON text; empty: there is none
    std::optional<std::string> ticket = {};
  };
  // The same for a line that may have an "id" and, instead of features, a
  // "ticket", whose label it then must bring. If it returns false, `more` has
  // what can be read, as `round` has the user's name.
  bool ParseLive(std::string_view line, Round& round, More& more,
                 RowError& fault);

 private:
  class Parser;
  JsonlRows(Encoding encoding, StreamLabel label);

  Encoding encoding_;
  StreamLabel label_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace sotto
