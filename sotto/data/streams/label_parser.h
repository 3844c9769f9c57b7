#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// The two texts that mean the negative and the positive label; absent: 0 and 1.
using LabelWords = std::optional<std::pair<std::string, std::string>>;

// "no,yes": the two words of an option. Fails with kInvalidArgument unless
// there are two different ones.
Result<LabelWords> ParseLabelWords(std::string_view text);

// Chooses the type of a stream's labels: the two words if there are any,
// otherwise what the schema says, if it speaks of this label; otherwise one of
// two. Fails with kInvalidArgument if the two words are one, or if the schema
// says that labels are not one of two.
Result<LabelType> ChooseLabels(const LabelWords& words,
                               const SchemaLabel* schema);

// How labels are read: an unknown label is a fault of its row, or is noted and
// read as a missing label, or labels are not looked at.
enum class LabelReading : std::uint8_t { kStrict, kLenient, kIgnored };

// Turns texts into labels of one public type.
//
//   LabelParser parser({.kind = LabelType::Kind::kClasses,
//                       .names = {"cat", "dog", "cow"}});
//   std::optional<Label> label;
//   parser.Parse("dog", label, fault)   // true, label->index() == 1
//
// One of two without names, or with the names 0 and 1: 0/1, -1/+1, true/false.
// A text that is empty or "?" is a label that never came, unless one is called
// so. Threads: immutable.
class LabelParser {
 public:
  explicit LabelParser(LabelType type,
                       LabelReading reading = LabelReading::kStrict);

  const LabelType& type() const { return type_; }
  // False, and the fault, if it is not a label of the type. A number outside
  // its range is moved to the nearer end, and noted in the fault.
  bool Parse(std::string_view text, std::optional<Label>& label,
             RowError& fault) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  bool Named(std::string_view text, std::optional<Label>& label) const;
  bool Number(std::string_view text, std::optional<Label>& label,
              RowError& fault) const;
  std::string Expected() const;

  LabelType type_;
  LabelReading reading_;
  bool usual_;  // 0 and 1, in all their spellings
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>
      names_;
};

// A stream's label: what it is called, and how it is read.
struct StreamLabel {
  std::string name;
  LabelParser parser;
};
// The label of formats without a column for it: the schema's, or y. Fails as
// ChooseLabels does.
Result<StreamLabel> GetLabel(const LabelWords& words,
                             const std::optional<Schema>& schema,
                             LabelReading reading = LabelReading::kStrict);

}  // namespace sotto
