#include "sotto/models/fits/fit_hypothesis.h"

namespace sotto {
namespace {

// "yes" or "no" of a question with this number, of `count`.
bool LeadsOn(std::int32_t to, std::size_t from, std::size_t count) {
  if (to < 0) return to >= FitTest::kPositive;
  const auto place = static_cast<std::size_t>(to);
  return place > from && place < count;
}

Error Damaged() {
  return {ErrorCode::kCorruption, "the hypothesis makes no sense"};
}

}  // namespace

FitHypothesis FitHypothesis::Constant(bool label) {
  FitHypothesis constant;
  constant.root_ = FitTest::Leaf(label);
  return constant;
}

FitHypothesis FitHypothesis::Of(const Split& split) {
  if (split.kind == Split::Kind::kConstant) return Constant(split.label);
  return FitHypothesis(
      std::vector<FitTest>{{.kind = split.kind,
                            .column = split.column,
                            .code = split.code,
                            .yes = FitTest::Leaf(split.label),
                            .no = FitTest::Leaf(!split.label)}});
}

FitHypothesis FitHypothesis::Table(std::vector<bool> labels) {
  FitHypothesis table;
  table.table_ = std::move(labels);
  return table;
}

bool FitHypothesis::Good(const std::vector<FitTest>& tests,
                         const FitColumns& columns) {
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const FitTest& test = tests[i];
    if (test.kind == Split::Kind::kConstant || test.column >= columns.size() ||
        !LeadsOn(test.yes, i, tests.size()) ||
        !LeadsOn(test.no, i, tests.size())) {
      return false;
    }
    const bool number = columns[test.column].kind == FitColumn::Kind::kNumber;
    if (number != (test.kind == Split::Kind::kAtLeast)) return false;
    if (!number && test.code >= columns[test.column].choices()) return false;
  }
  return !tests.empty();
}

void FitHypothesis::Save(ByteWriter& writer) const {
  writer.Number(root_);
  writer.Number(static_cast<std::uint64_t>(tests_.size()));
  for (const FitTest& test : tests_) {
    writer.Number(static_cast<std::uint8_t>(test.kind));
    writer.Number(test.column);
    writer.Number(test.code);
    writer.Number(test.yes);
    writer.Number(test.no);
  }
  writer.Number(static_cast<std::uint64_t>(table_.size()));
  for (const bool label : table_) {
    writer.Number(static_cast<std::uint8_t>(label ? 1 : 0));
  }
}

Result<FitHypothesis> FitHypothesis::Load(const FitColumns& columns,
                                          ByteReader& reader) {
  constexpr std::uint64_t kTestBytes = 17;
  FitHypothesis read;
  read.root_ = reader.Number<std::int32_t>();
  const auto tests = reader.Number<std::uint64_t>();
  if (tests > reader.RoomFor(kTestBytes)) return Damaged();
  for (std::uint64_t i = 0; i < tests; ++i) {
    FitTest test;
    const auto kind = reader.Number<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(Split::Kind::kEquals)) {
      return Damaged();
    }
    test.kind = static_cast<Split::Kind>(kind);
    test.column = reader.Number<std::uint32_t>();
    test.code = reader.Number<std::uint32_t>();
    test.yes = reader.Number<std::int32_t>();
    test.no = reader.Number<std::int32_t>();
    read.tests_.push_back(test);
  }
  const auto points = reader.Number<std::uint64_t>();
  if (points > reader.RoomFor(1)) return Damaged();
  for (std::uint64_t i = 0; i < points; ++i) {
    read.table_.push_back(reader.Number<std::uint8_t>() != 0);
  }
  const bool begins = read.tests_.empty()
                          ? read.root_ < 0 && LeadsOn(read.root_, 0, 0)
                          : read.root_ == 0 && Good(read.tests_, columns);
  if (reader.failed() || !begins) return Damaged();
  return read;
}

}  // namespace sotto
