#include "sotto/data/streams/columns.h"

#include <algorithm>
#include <set>

#include "sotto/data/streams/row_error.h"

namespace sotto {
namespace {

constexpr std::uint32_t kMostColumns = std::uint32_t{1} << 20;

}  // namespace

std::vector<std::string> NumberedColumns(std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 1; i <= count; ++i) {
    names.push_back("c" + std::to_string(i));
  }
  return names;
}

Result<std::vector<std::string>> HeaderlessColumns(
    std::optional<std::uint32_t> count, const std::vector<std::string>& names) {
  if (count && *count >= 1 && *count <= kMostColumns) {
    return NumberedColumns(*count);
  }
  if (count) {
    return InvalidArgument("a file has between 1 and 2^20 columns, not " +
                           std::to_string(*count));
  }
  const std::set<std::string> given(names.begin(), names.end());
  std::vector<std::string> all =
      NumberedColumns(static_cast<std::uint32_t>(given.size()));
  const bool gapless = std::ranges::all_of(
      all, [&](const std::string& name) { return given.contains(name); });
  if (!all.empty() && gapless) return all;
  return InvalidArgument(
      "without a header the number of columns must be known before any row is "
      "read: give it (--columns N), or a schema that names all of c1, c2, ..., "
      "the label included");
}

std::vector<std::string> ListNames(const Schema& schema) {
  std::vector<std::string> names;
  if (schema.label) names.push_back(schema.label->column);
  for (const SchemaColumn& column : schema.columns) {
    names.push_back(column.field());
  }
  return names;
}

Result<std::optional<std::size_t>> FindUserColumn(
    const std::vector<std::string>& columns, const std::string& named,
    const std::string& label) {
  const std::string name = named.empty() ? "user" : named;
  const auto place = std::ranges::find(columns, name);
  if (place != columns.end() && name != label) {
    return std::optional(static_cast<std::size_t>(place - columns.begin()));
  }
  if (named.empty()) return std::optional<std::size_t>();
  if (place == columns.end()) {
    return InvalidArgument("no column " + Shown(named) +
                           " for the user; the columns are " +
                           ShownList(columns));
  }
  return InvalidArgument("column " + Shown(named) +
                         " cannot be both the label and the user");
}

}  // namespace sotto
