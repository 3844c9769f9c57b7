#include "sotto/audit/program/row_edits.h"

#include <algorithm>
#include <cstddef>

#include "sotto/audit/program/neighbours.h"
#include "sotto/base/json.h"

namespace sotto {
namespace {

constexpr const char* kNoLabel = "no-such-label";
constexpr const char* kUnknown = "unusable: an unknown label";
constexpr const char* kMalformed = "unusable: not of the format";

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : ",") + parts[i];
  }
  return text;
}

// Plain fields: commas in quotes are not supported.
class CsvEdits final : public RowEdits {
 public:
  explicit CsvEdits(const ProgramStream& stream) {
    if (stream.header.empty()) return;
    const auto names = SplitText(stream.header.back(), ',');
    columns_ = names.size();
    user_ = Place(names, stream.user);
    label_ = Place(names, stream.label);
  }

  bool has_users() const override { return user_.has_value(); }
  std::string GetUser(const std::string& row) const override {
    const auto fields = SplitText(row, ',');
    return user_ && *user_ < fields.size() ? fields[*user_] : "";
  }
  std::string WithUser(const std::string& row,
                       const std::string& user) const override {
    return With(row, user_, user).value_or(row);
  }
  std::string Absent(const std::string& user) const override {
    std::vector<std::string> fields(std::max<std::size_t>(1, columns_));
    if (user_) fields[*user_] = user;
    return Joined(fields);
  }
  std::optional<std::string> WithoutLabel(
      const std::string& row) const override {
    return With(row, label_, "");
  }
  Bad Unusable(const std::string& row) const override {
    Bad bad;
    if (const auto text = With(row, label_, kNoLabel)) {
      bad.emplace_back(kUnknown, *text);
    }
    bad.emplace_back(kMalformed, row + ",1");
    if (!user_ || *user_ + 1 < columns_) {
      auto fields = SplitText(row, ',');
      fields.back() = "\"" + fields.back();
      bad.emplace_back("unusable: a quote that does not end", Joined(fields));
    }
    return bad;
  }

 private:
  static std::optional<std::size_t> Place(const std::vector<std::string>& names,
                                          const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  }
  static std::optional<std::string> With(const std::string& row,
                                         std::optional<std::size_t> place,
                                         const std::string& text) {
    auto fields = SplitText(row, ',');
    if (!place || *place >= fields.size()) return std::nullopt;
    fields[*place] = text;
    return Joined(fields);
  }

  std::size_t columns_ = 0;
  std::optional<std::size_t> user_;
  std::optional<std::size_t> label_;
};

class LibsvmEdits final : public RowEdits {
 public:
  bool has_users() const override { return false; }
  std::string GetUser(const std::string& /*row*/) const override { return ""; }
  std::string WithUser(const std::string& row,
                       const std::string& /*user*/) const override {
    return row;
  }
  std::string Absent(const std::string& /*user*/) const override {
    return "# nobody";
  }
  std::optional<std::string> WithoutLabel(
      const std::string& /*row*/) const override {
    return std::nullopt;
  }
  Bad Unusable(const std::string& row) const override {
    return {{kUnknown, std::string(kNoLabel) + " 1:1"},
            {kMalformed, row + " 1:2:3"}};
  }
};

// "1 'ann| a:2 b": the label, the tag, which is the user, the features.
class VwEdits final : public RowEdits {
 public:
  explicit VwEdits(const ProgramStream& stream)
      : users_(!GetUser(stream.rows[stream.protected_row]).empty()) {}

  bool has_users() const override { return users_; }
  std::string GetUser(const std::string& row) const override {
    const std::size_t tag = row.find('\'');
    if (tag == std::string::npos || tag > row.find('|')) return "";
    return row.substr(tag + 1, row.find_first_of(" |", tag) - tag - 1);
  }
  std::string WithUser(const std::string& row,
                       const std::string& user) const override {
    return Row(GetLabel(row), user, row);
  }
  std::string Absent(const std::string& user) const override {
    return user.empty() ? "" : "'" + user;
  }
  std::optional<std::string> WithoutLabel(
      const std::string& row) const override {
    if (GetLabel(row).empty()) return std::nullopt;
    return Row("", GetUser(row), row);
  }
  Bad Unusable(const std::string& row) const override {
    return {{kUnknown, Row(kNoLabel, GetUser(row), row)},
            {kMalformed, Row(GetLabel(row) + " 3", GetUser(row), row)}};
  }

 private:
  static std::string GetLabel(const std::string& row) {
    const std::string word = row.substr(0, row.find_first_of(" |"));
    return word.starts_with("'") ? "" : word;
  }
  static std::string Row(const std::string& label, const std::string& user,
                         const std::string& row) {
    const std::size_t bar = std::min(row.find('|'), row.size());
    return label + " " + (user.empty() ? "" : "'" + user) + row.substr(bar);
  }

  bool users_;
};

// A row is an object.
class JsonEdits final : public RowEdits {
 public:
  explicit JsonEdits(const ProgramStream& stream)
      : user_(stream.user),
        label_(stream.label),
        users_(!GetUser(stream.rows[stream.protected_row]).empty()) {}

  bool has_users() const override { return users_; }
  std::string GetUser(const std::string& row) const override {
    const auto json = Json::Parse(row);
    const Json* user = json ? json->Find(user_) : nullptr;
    return user == nullptr || user->text() == nullptr ? "" : *user->text();
  }
  std::string WithUser(const std::string& row,
                       const std::string& user) const override {
    return With(row, user_, Json(user)).value_or(row);
  }
  std::string Absent(const std::string& user) const override {
    return user.empty() ? "{}" : Json(Json::Object{{user_, user}}).Dump();
  }
  std::optional<std::string> WithoutLabel(
      const std::string& row) const override {
    const auto json = Json::Parse(row);
    if (!json || json->Find(label_) == nullptr) return std::nullopt;
    Json::Object left = *json->object();
    std::erase_if(left, [&](const auto& m) { return m.first == label_; });
    return Json(std::move(left)).Dump();
  }
  Bad Unusable(const std::string& row) const override {
    Bad bad;
    if (const auto text = With(row, label_, Json(kNoLabel))) {
      bad.emplace_back(kUnknown, *text);
    }
    if (const auto text = With(row, "x", Json(Json::Array{Json::Array{}}))) {
      bad.emplace_back(kMalformed, *text);
    }
    return bad;
  }

 private:
  static std::optional<std::string> With(const std::string& row,
                                         const std::string& name, Json value) {
    auto json = Json::Parse(row);
    if (!json || json->object() == nullptr) return std::nullopt;
    (*json)[name] = std::move(value);
    return json->Dump();
  }

  std::string user_;
  std::string label_;
  bool users_;
};

}  // namespace

std::vector<std::string> SplitText(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::unique_ptr<RowEdits> MakeEdits(const ProgramStream& stream) {
  if (stream.format == "csv") return std::make_unique<CsvEdits>(stream);
  if (stream.format == "vw") return std::make_unique<VwEdits>(stream);
  if (stream.format == "libsvm") return std::make_unique<LibsvmEdits>();
  return std::make_unique<JsonEdits>(stream);
}

}  // namespace sotto
