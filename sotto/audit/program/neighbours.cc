#include "sotto/audit/program/neighbours.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sotto {
namespace {

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : ",") + parts[i];
  }
  return text;
}

std::optional<std::size_t> Column(const ProgramStream& stream,
                                  const std::string& name) {
  if (stream.format != "csv" || stream.header.empty()) return std::nullopt;
  const auto names = Split(stream.header.back(), ',');
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string& Row(ProgramStream& stream) {
  return stream.rows[stream.protected_row];
}

// Another row, as unlike this one as there is: the last that differs.
std::string OtherRow(const ProgramStream& stream) {
  const std::string& own = stream.rows[stream.protected_row];
  for (std::size_t i = stream.rows.size(); i-- > 0;) {
    if (stream.rows[i] != own && !stream.rows[i].empty()) return stream.rows[i];
  }
  return own;
}

// The same with fields of a csv row changed.
template <typename Change>
std::optional<ProgramStream> WithFields(ProgramStream stream, Change change) {
  auto fields = Split(Row(stream), ',');
  if (!change(fields)) return std::nullopt;
  Row(stream) = Joined(fields);
  return stream;
}

// A json row without the member of its label; good for flat ones.
std::optional<std::string> WithoutMember(const std::string& row,
                                         const std::string& name) {
  const std::size_t at = row.find("\"" + name + "\"");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t end = row.find_first_of(",}", at);
  if (end == std::string::npos) return std::nullopt;
  const bool last = row[end] == '}';
  std::size_t begin = at;
  if (last) begin = row.find_last_of(",{", at);
  if (last && row[begin] == '{') ++begin;
  return row.substr(0, begin) + row.substr(last ? end : end + 1);
}

class Maker {
 public:
  explicit Maker(const ProgramStream& stream)
      : stream_(stream),
        user_(Column(stream, stream.user)),
        label_(Column(stream, stream.label)) {}

  std::vector<NeighbourStream> Make() {
    Lines();
    if (stream_.format == "csv") Fields();
    if (stream_.format == "jsonl") {
      if (auto row = WithoutMember(stream_.rows[stream_.protected_row],
                                   stream_.label)) {
        AddRow("without its label", *row);
      }
    }
    return std::move(made_);
  }

 private:
  void Add(std::string change, ProgramStream stream,
           std::vector<std::size_t> own) {
    made_.push_back({std::move(change), std::move(stream), std::move(own), 1});
  }
  void AddRow(std::string change, const std::string& row) {
    ProgramStream stream = stream_;
    Row(stream) = row;
    Add(std::move(change), std::move(stream), Own());
  }
  // All rows of the protected user.
  std::vector<std::size_t> Own() const {
    std::vector<std::size_t> own = {stream_.protected_row};
    if (!user_) return own;
    const std::string name = NameIn(stream_.protected_row);
    for (std::size_t i = 0; i < stream_.rows.size(); ++i) {
      if (i != stream_.protected_row && !name.empty() && NameIn(i) == name) {
        own.push_back(i);
      }
    }
    return own;
  }
  std::string NameIn(std::size_t row) const {
    const auto fields = Split(stream_.rows[row], ',');
    return user_ && *user_ < fields.size() ? fields[*user_] : "";
  }

  // What can be done to a line of any format. The user stays the same where
  // rows have users.
  void Lines() {
    std::string other = OtherRow(stream_);
    if (user_) {
      auto fields = Split(other, ',');
      if (*user_ < fields.size()) {
        fields[*user_] = NameIn(stream_.protected_row);
      }
      other = Joined(fields);
    }
    AddRow("replaced by another row", other);
    if (user_) return;
    AddRow("unusable", "?:?:? this is no row");
    AddRow("blank", "");
  }

  void Fields() {
    const auto clear = [this](bool bad) {
      return [this, bad](std::vector<std::string>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
          if (!user_ || i != *user_) fields[i] = bad ? "?" : "";
        }
        return true;
      };
    };
    if (auto s = WithFields(stream_, clear(false))) Add("absent", *s, Own());
    if (user_) {
      if (auto s = WithFields(stream_, clear(true))) Add("unusable", *s, Own());
      NameElsewhere();
    }
    const auto unlabel = [this](std::vector<std::string>& fields) {
      if (!label_ || *label_ >= fields.size()) return false;
      fields[*label_].clear();
      return true;
    };
    if (auto s = WithFields(stream_, unlabel)) {
      Add("without its label", *s, Own());
    }
  }

  // Somebody later comes under the protected user's name: that row is then the
  // user's own, and in the other world somebody else's, so both are.
  void NameElsewhere() {
    const std::size_t there =
        (stream_.protected_row + stream_.rows.size() / 2) % stream_.rows.size();
    if (there == stream_.protected_row) return;
    ProgramStream stream = stream_;
    auto fields = Split(stream.rows[there], ',');
    if (*user_ >= fields.size()) return;
    fields[*user_] = NameIn(stream_.protected_row);
    stream.rows[there] = Joined(fields);
    auto own = Own();
    own.push_back(there);
    Add("its user's name on another row", std::move(stream), own);
    made_.back().users = 2;  // the other one is gone
  }

  const ProgramStream& stream_;
  std::optional<std::size_t> user_;
  std::optional<std::size_t> label_;
  std::vector<NeighbourStream> made_;
};

}  // namespace

Result<ProgramStream> ProgramStream::Read(const std::string& text,
                                          std::string format, std::size_t row) {
  ProgramStream stream;
  stream.format = std::move(format);
  std::vector<std::string> lines = Split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (stream.format == "csv" && !lines.empty()) {
    stream.header = {lines.front()};
    lines.erase(lines.begin());
  }
  stream.rows = std::move(lines);
  if (row >= stream.rows.size()) {
    return InvalidArgument("the stream has " +
                           std::to_string(stream.rows.size()) + " rows");
  }
  stream.protected_row = row;
  return stream;
}

std::string ProgramStream::Text() const {
  std::string text;
  for (const auto& lines : {header, rows}) {
    for (const std::string& line : lines) text += line + "\n";
  }
  return text;
}

std::vector<NeighbourStream> NeighboursOf(const ProgramStream& stream) {
  return Maker(stream).Make();
}

}  // namespace sotto
