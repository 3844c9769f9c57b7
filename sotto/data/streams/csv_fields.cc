#include "sotto/data/streams/csv_fields.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace sotto {

bool CsvCursor::Take(std::string_view& field, RowError& fault) {
  const char* first = SkipBlanks(at_);
  if (first != end_ && *first == '"') return TakeQuoted(first, field, fault);
  const auto left = static_cast<std::size_t>(end_ - first);
  const void* comma = left == 0 ? nullptr : std::memchr(first, ',', left);
  const char* stop = comma == nullptr ? end_ : static_cast<const char*>(comma);
  const char* last = stop;
  while (last != first && IsBlank(last[-1])) --last;
  field = {first, static_cast<std::size_t>(last - first)};
  MoveTo(stop);
  return true;
}

bool CsvCursor::TakeQuoted(const char* open, std::string_view& field,
                           RowError& fault) {
  // No reallocation while earlier fields point into it: all unquoted text of a
  // line is no longer than the line.
  scratch_.reserve(scratch_.size() + static_cast<std::size_t>(end_ - open));
  const std::size_t start = scratch_.size();
  const char* at = open + 1;
  for (; at != end_; ++at) {
    if (*at == '"') {
      if (at + 1 == end_ || at[1] != '"') break;
      ++at;
    }
    scratch_.push_back(*at);
  }
  if (at == end_) {
    fault.Say(FaultReason::kSyntax, "a quote that is not closed on this line",
              "quotes that are closed on their line");
    MoveTo(std::find(open, end_, ','));
    return false;
  }
  const char* stop = SkipBlanks(at + 1);
  if (stop != end_ && *stop != ',') {
    fault.Set(FaultReason::kSyntax, "text after a closing quote", "a comma");
    MoveTo(std::find(stop, end_, ','));
    return false;
  }
  field = std::string_view(scratch_).substr(start);
  MoveTo(stop);
  return true;
}

bool SplitCsv(std::string_view line, std::vector<std::string_view>& fields,
              std::string& scratch, RowError& fault) {
  fields.clear();
  CsvCursor cursor(line, scratch);
  scratch.reserve(line.size());
  while (!cursor.done()) {
    if (!cursor.Take(fields.emplace_back(), fault)) return false;
  }
  return true;
}

std::string CsvFieldAt(std::string_view line, std::size_t place) {
  std::string scratch;
  CsvCursor cursor(line, scratch);
  for (std::size_t i = 0; !cursor.done(); ++i) {
    std::string_view field;
    RowError fault;
    const bool good = cursor.Take(field, fault);
    if (i == place) return good ? std::string(field) : std::string();
  }
  return {};
}

namespace {

// Names the format of a header that csv does not have; empty for csv.
std::string_view OtherFormat(std::string_view line) {
  if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff") ||
      line.find('\0') != std::string_view::npos) {
    return "UTF-16 text: expected UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)";
  }
  if (line.find('\r') != std::string_view::npos) {
    return "lines that end in CR: expected LF (tr '\\r' '\\n' converts them)";
  }
  if (line.find(',') != std::string_view::npos) return "";
  if (line.find(';') != std::string_view::npos) {
    return "columns separated by semicolons: expected commas, and numbers with "
           "a point (save the table so)";
  }
  if (line.find('\t') != std::string_view::npos) {
    return "columns separated by tabs: expected commas (tr '\\t' ',' converts "
           "them)";
  }
  return "";
}

}  // namespace

bool CsvHeader(std::string_view line, std::vector<std::string>& columns,
               RowError& fault) {
  if (const auto other = OtherFormat(line); !other.empty()) {
    fault.Say(FaultReason::kSyntax, std::string(other), "a csv header");
    return false;
  }
  std::vector<std::string_view> fields;
  std::string scratch;
  if (!SplitCsv(line, fields, scratch, fault)) return false;
  columns.assign(fields.begin(), fields.end());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool empty = columns[i].empty();
    if (!empty && seen.insert(columns[i]).second) continue;
    fault.reason = FaultReason::kFields;
    fault.where = "field " + std::to_string(i + 1);
    fault.message = empty ? "a column without a name"
                          : "a second column " + Shown(columns[i]);
    return false;
  }
  return true;
}

bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

RowError WrongFieldCount(std::size_t found, std::size_t expected) {
  RowError fault;
  const std::string wanted = std::to_string(expected);
  fault.Say(FaultReason::kFields,
            std::to_string(found) + (found == 1 ? " field" : " fields") +
                ": expected " + wanted,
            wanted + (expected == 1 ? " field" : " fields"));
  return fault;
}

}  // namespace sotto
