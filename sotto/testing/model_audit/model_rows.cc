#include "sotto/testing/model_audit/model_rows.h"

#include <array>
#include <random>
#include <vector>

#include "sotto/base/json.h"

namespace sotto {
namespace {

constexpr std::size_t kAgain = kProtectedRow + 7;
constexpr std::array kClasses = {"ant", "bee", "cow"};
constexpr double kHighest = 4;  // of a label that is a number

struct Row {
  std::vector<int> x;
  std::string user;
  Json label;
};

Json GetLabel(int first, LabelType::Kind kind, bool points) {
  const int level = points ? first : first + 1;  // signs: 0 or 2
  switch (kind) {
    case LabelType::Kind::kTwo:
      return level >= 2 ? 1 : 0;
    case LabelType::Kind::kClasses:
      return kClasses[static_cast<std::size_t>(level) % kClasses.size()];
    case LabelType::Kind::kNumber:
      return level;
  }
  return {};
}

std::vector<Row> MakeRows(const ModelFormat& format, ModelColumns columns,
                          LabelType::Kind label, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<Row> rows(kModelRows);
  const bool points = columns == ModelColumns::kPoints;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < MakeColumns(columns); ++j) {
      rows[i].x.push_back(points ? static_cast<int>(draw() % 4)
                                 : 2 * static_cast<int>(draw() % 2) - 1);
    }
    rows[i].label = GetLabel(rows[i].x.front(), label, points);
    if (!format.users) continue;
    // The users of one stream are in no other.
    const bool own = i == kProtectedRow || i == kAgain;
    rows[i].user =
        (own ? "own" : "u" + std::to_string(i)) + "of" + std::to_string(seed);
  }
  return rows;
}

std::string Plain(const Json& label) {
  return label.text() != nullptr ? *label.text() : label.Dump();
}

std::string CsvLine(const Row& row, bool users) {
  std::string line;
  for (const int x : row.x) line += std::to_string(x) + ",";
  if (users) line += row.user + ",";
  return line + Plain(row.label);
}

std::string LibsvmLine(const Row& row) {
  std::string line = Plain(row.label) == "0" ? "-1" : "+1";
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    line += " " + std::to_string(i + 1) + ":" + std::to_string(row.x[i]);
  }
  return line;
}

std::string VwLine(const Row& row) {
  std::string line = Plain(row.label) == "0" ? "-1 " : "1 ";
  line += (row.user.empty() ? "" : "'" + row.user) + "|";
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    line += " " + std::to_string(i) + ":" + std::to_string(row.x[i]);
  }
  return line;
}

std::string JsonLine(const Row& row) {
  Json::Array x(row.x.begin(), row.x.end());
  Json line = Json::Object{{"x", std::move(x)}, {"y", row.label}};
  if (!row.user.empty()) line["user"] = row.user;
  return line.Dump();
}

std::string FormatLine(const Row& row, const ModelFormat& format) {
  if (format.format == "csv") return CsvLine(row, format.users);
  if (format.format == "libsvm") return LibsvmLine(row);
  if (format.format == "vw") return VwLine(row);
  return JsonLine(row);
}

std::vector<std::string> Names(ModelColumns columns) {
  if (columns == ModelColumns::kPoints) return {"x"};
  return {"a", "b", "c"};
}

}  // namespace

std::size_t MakeColumns(ModelColumns columns) {
  return columns == ModelColumns::kPoints ? 1 : 3;
}

ProgramStream EmptyStream(const ModelFormat& format, ModelColumns columns) {
  ProgramStream stream;
  stream.format = std::string(format.format);
  stream.header_written = format.header;
  stream.protected_row = kProtectedRow;
  if (format.format != "csv") return stream;
  std::string header;
  const auto names = Names(columns);
  const std::size_t all = names.size() + (format.users ? 2 : 1);
  for (std::size_t i = 0; i < all; ++i) {
    const std::string name =
        i < names.size() ? names[i] : (i + 1 < all ? "user" : "y");
    header += i == 0 ? "" : ",";
    header += format.header ? name : "c" + std::to_string(i + 1);
  }
  stream.header = {header};
  if (format.header) return stream;
  stream.label = "c" + std::to_string(all);
  stream.user = format.users ? "c" + std::to_string(all - 1) : "";
  return stream;
}

ProgramStream ModelStream(const ModelFormat& format, ModelColumns columns,
                          LabelType::Kind label, std::uint64_t seed) {
  ProgramStream stream = EmptyStream(format, columns);
  for (const Row& row : MakeRows(format, columns, label, seed)) {
    stream.rows.push_back(FormatLine(row, format));
  }
  return stream;
}

std::string ModelSchema(ModelColumns columns, LabelType::Kind label) {
  Json::Array list;
  const bool points = columns == ModelColumns::kPoints;
  for (const std::string& name : Names(columns)) {
    list.push_back(
        Json::Object{{"name", name},
                     {"type", "number"},
                     {"range", Json::Array{points ? 0 : -1, points ? 3 : 1}}});
  }
  Json labels = Json::Object{{"column", "y"}};
  if (label == LabelType::Kind::kClasses) {
    labels["classes"] = Json::Array(kClasses.begin(), kClasses.end());
  } else if (label == LabelType::Kind::kNumber) {
    labels["range"] = Json::Array{0, kHighest};
  } else {
    labels["negative"] = "0";
    labels["positive"] = "1";
  }
  return Json(Json::Object{{"label", std::move(labels)},
                           {"columns", std::move(list)}})
      .Dump();
}

}  // namespace sotto
