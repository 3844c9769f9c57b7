#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/streams/decimal.h"
#include "sotto/data/streams/row_error.h"

namespace sotto {

// Walks over the fields of one csv line: separated by commas, trimmed, perhaps
// in double quotes, inside which a comma is text and "" is one quote. A quoted
// field ends on its line.
//
//   CsvCursor cursor(line, scratch);
//   std::string_view field;
//   while (!cursor.done()) {
//     if (!cursor.Take(field, fault)) return ...;
//   }
//
// Fields are valid as long as the line and `scratch` are.
class CsvCursor {
 public:
  CsvCursor(std::string_view line, std::string& scratch)
      : at_(line.data()), end_(line.data() + line.size()), scratch_(scratch) {
    scratch_.clear();
  }

  // A line has one field more than commas, so an empty line has one.
  bool done() const { return done_; }
  // The next field, if it is a finite number, unquoted.
  bool TakeNumber(double& value) {
    const char* at = SkipBlanks(at_);
    at = ParseDecimal(at, end_, value);
    if (at == nullptr) return false;
    at = SkipBlanks(at);
    if (at == end_) {
      done_ = true;
      at_ = end_;
      return true;
    }
    if (*at != ',') return false;
    at_ = at + 1;
    return true;
  }
  // The next field as text. False, and the fault, if its quotes are wrong: the
  // cursor is then behind the next comma.
  bool Take(std::string_view& field, RowError& fault);

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\t'; }
  const char* SkipBlanks(const char* at) const {
    while (at != end_ && IsBlank(*at)) ++at;
    return at;
  }
  bool TakeQuoted(const char* open, std::string_view& field, RowError& fault);
  void MoveTo(const char* comma) {
    done_ = comma == end_;
    at_ = done_ ? end_ : comma + 1;
  }

  const char* at_;
  const char* end_;
  bool done_ = false;
  std::string& scratch_;
};

// All fields of a line. False, and the fault, if quotes are wrong.
bool SplitCsv(std::string_view line, std::vector<std::string_view>& fields,
              std::string& scratch, RowError& fault);

// The field in that place of a row that may have faults: where quotes are wrong
// the next comma is taken to end the field. Empty if there is no such field or
// its own quotes are wrong.
std::string CsvFieldAt(std::string_view line, std::size_t place);

// The names of the columns in a header. False, and the fault, if a name is
// empty or comes twice.
bool CsvHeader(std::string_view line, std::vector<std::string>& columns,
               RowError& fault);

bool IsBlankLine(std::string_view line);

// Says how many fields a row has and should have.
RowError WrongFieldCount(std::size_t found, std::size_t expected);

}  // namespace sotto
