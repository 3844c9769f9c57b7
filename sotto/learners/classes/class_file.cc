#include "sotto/learners/classes/class_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTOBIT";

Error Malformed(const std::string& what) {
  return Corruption("not a compact class: " + what);
}

// The functions that are not equal to an earlier one.
std::vector<std::uint64_t> Different(const FiniteClass& functions) {
  std::set<std::vector<bool>> seen;
  std::vector<std::uint64_t> different;
  for (std::size_t h = 0; h < functions.size(); ++h) {
    std::vector<bool> row(functions.points());
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = functions.Label(h, x);
    if (seen.insert(std::move(row)).second) different.push_back(h);
  }
  return different;
}

Result<FiniteClass> WithoutRepeats(const FiniteClass& functions) {
  const auto rows = Different(functions);
  if (rows.size() == functions.size()) return functions;
  return FiniteClass::Create(rows.size(), functions.points(),
                             [&](std::uint64_t h, std::uint64_t x) {
                               return functions.Label(rows[h], x);
                             });
}

}  // namespace

std::string CompactClass(const FiniteClass& functions) {
  ByteWriter head;
  head.Number(std::uint64_t{functions.size()});
  head.Number(std::uint64_t{functions.points()});
  ByteWriter body;
  for (std::size_t x = 0; x < functions.points(); ++x) {
    for (const std::uint64_t word : functions.Ones(x)) body.Number(word);
  }
  return std::string(kMagic) + head.bytes() + body.bytes();
}

Result<FiniteClass> ParseCompactClass(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Malformed("it begins otherwise");
  ByteReader reader(bytes.substr(kMagic.size()));
  const auto size = reader.Number<std::uint64_t>();
  const auto points = reader.Number<std::uint64_t>();
  if (size == 0 || points == 0 || size > FiniteClass::kMaxBits ||
      points > FiniteClass::kMaxBits / size) {
    return Malformed("its size is wrong");
  }
  const std::uint64_t words = (size + 63) / 64;
  // Check before allocating memory of that size.
  if (bytes.size() != kMagic.size() + 16 + 8 * points * words) {
    return Malformed("its length is wrong");
  }
  std::vector<std::uint64_t> all(points * words);
  for (std::uint64_t& word : all) word = reader.Number<std::uint64_t>();
  const auto read =
      FiniteClass::Create(size, points, [&](std::uint64_t h, std::uint64_t x) {
        return (all[x * words + h / 64] >> (h % 64) & 1) != 0;
      });
  if (!read) return read.error();
  return WithoutRepeats(*read);
}

Result<FiniteClass> ReadClassFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();  // fails where there is nothing: an empty class
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return Unavailable("cannot read " + path);
  }
  const std::string bytes = content.str();
  auto parsed = bytes.starts_with(kMagic) ? ParseCompactClass(bytes)
                                          : FiniteClass::Parse(bytes);
  if (parsed) return parsed;
  return Error{parsed.error().code, path + ", " + parsed.error().message};
}

Result<FiniteClass> ReadClass(const std::string& text) {
  if (NamesClass(text)) {
    SOTTO_TRY_ASSIGN(const auto named, NamedClass::Parse(text));
    return named.Matrix();
  }
  auto read = ReadClassFile(text);
  if (read || read.error().code != ErrorCode::kUnavailable) return read;
  return InvalidArgument("'" + text + "': expected " + KindsInWords() +
                         " or a file that can be read");
}

}  // namespace sotto
