#include "sotto/audit/program/neighbours.h"

#include <memory>
#include <utility>

#include "sotto/audit/program/row_edits.h"

namespace sotto {
namespace {

// Another row, as different as possible: the last that differs.
std::string OtherRow(const ProgramStream& stream, const RowEdits& edits) {
  const std::string& own = stream.rows[stream.protected_row];
  const std::string name = edits.GetUser(own);
  for (std::size_t i = stream.rows.size(); i-- > 0;) {
    const std::string other = edits.WithUser(stream.rows[i], name);
    if (!stream.rows[i].empty() && other != own) return other;
  }
  return own;
}

class Maker {
 public:
  explicit Maker(const ProgramStream& stream)
      : stream_(stream),
        edits_(MakeEdits(stream)),
        row_(stream.rows[stream.protected_row]),
        name_(edits_->GetUser(row_)) {}

  std::vector<NeighbourStream> Make() {
    AddRow("replaced by another row", OtherRow(stream_, *edits_));
    if (!edits_->has_users()) {
      AddRow("unusable: no row at all", "?:?:? this is no row", true);
      AddRow("blank", "", true);
    }
    AddRow("absent", edits_->Absent(name_), true);
    for (const auto& [why, row] : edits_->Unusable(row_)) {
      // Live, the question comes without its label, and can be used.
      AddRow(why, row,
             stream_.format != "live" || !edits_->WithoutLabel(row) ||
                 *edits_->WithoutLabel(row) != *edits_->WithoutLabel(row_));
    }
    if (stream_.format == "live") {
      LabelTimes();
    } else if (const auto row = edits_->WithoutLabel(row_)) {
      AddRow("without its label", *row);
    }
    if (edits_->has_users()) NameElsewhere();
    return std::move(made_);
  }

 private:
  void AddRow(std::string change, const std::string& row, bool empty = false) {
    ProgramStream stream = stream_;
    stream.rows[stream.protected_row] = row;
    Add(std::move(change), std::move(stream), empty);
  }
  void Add(std::string change, ProgramStream stream, bool empty = false) {
    made_.push_back({.change = std::move(change),
                     .stream = std::move(stream),
                     .own = Own(),
                     .empty = empty});
  }
  // All rows of the protected user.
  std::vector<std::size_t> Own() const {
    std::vector<std::size_t> own = {stream_.protected_row};
    for (std::size_t i = 0; i < stream_.rows.size(); ++i) {
      if (i != stream_.protected_row && !name_.empty() &&
          edits_->GetUser(stream_.rows[i]) == name_) {
        own.push_back(i);
      }
    }
    return own;
  }

  void LabelTimes() {
    const auto after = [this](std::optional<std::size_t> when) {
      ProgramStream stream = stream_;
      stream.label_after.clear();
      for (std::size_t i = 0; i < stream.rows.size(); ++i) {
        stream.label_after.push_back(stream_.LabelAfter(i));
      }
      stream.label_after[stream.protected_row] = when;
      return stream;
    };
    const std::size_t last = stream_.rows.size() - 1;
    Add("its label later", after((stream_.protected_row + last + 1) / 2));
    Add("its label last of all", after(last));
    Add("its label never", after(std::nullopt));
  }

  // A later row has the protected user's name. In one world that row belongs to
  // the user, in the other world to another user, so both are excluded.
  void NameElsewhere() {
    const std::size_t there =
        (stream_.protected_row + stream_.rows.size() / 2) % stream_.rows.size();
    if (there == stream_.protected_row) return;
    ProgramStream stream = stream_;
    stream.rows[there] = edits_->WithUser(stream.rows[there], name_);
    if (stream.rows[there] == stream_.rows[there]) return;
    Add("its user's name on another row", std::move(stream));
    made_.back().own.push_back(there);
    made_.back().users = 2;  // the other one is gone
  }

  const ProgramStream& stream_;
  std::unique_ptr<RowEdits> edits_;
  const std::string& row_;
  std::string name_;
  std::vector<NeighbourStream> made_;
};

}  // namespace

Result<ProgramStream> ProgramStream::Read(const std::string& text,
                                          std::string format, std::size_t row) {
  ProgramStream stream;
  stream.format = std::move(format);
  std::vector<std::string> lines = SplitText(text, '\n');
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
  for (const auto* lines : {&header, &rows}) {
    if (lines == &header && !header_written) continue;
    for (const std::string& line : *lines) text += line + "\n";
  }
  return text;
}

std::optional<std::size_t> ProgramStream::LabelAfter(std::size_t row) const {
  return row < label_after.size() ? label_after[row] : std::optional(row);
}

std::vector<NeighbourStream> MakeNeighbours(const ProgramStream& stream) {
  return Maker(stream).Make();
}

}  // namespace sotto
