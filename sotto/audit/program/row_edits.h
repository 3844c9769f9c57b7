#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto {

struct ProgramStream;

// Edits of one row of a format, as a line of text.
//
// Threads: const calls may run at the same time.
class RowEdits {
 public:
  virtual ~RowEdits() = default;

  // True if rows of this stream have a user name.
  virtual bool has_users() const = 0;
  virtual std::string GetUser(const std::string& row) const = 0;
  virtual std::string WithUser(const std::string& row,
                               const std::string& user) const = 0;
  // An absent row with that name; without a name, a blank line.
  virtual std::string Absent(const std::string& user) const = 0;
  // None if the row has no label.
  virtual std::optional<std::string> WithoutLabel(
      const std::string& row) const = 0;
  // Rows that are bad under every schema and flag, with the reason. Their user
  // can be read.
  using Bad = std::vector<std::pair<std::string, std::string>>;
  virtual Bad Unusable(const std::string& row) const = 0;
};

// For the stream's format.
std::unique_ptr<RowEdits> MakeEdits(const ProgramStream& stream);

std::vector<std::string> SplitText(const std::string& text, char at);

}  // namespace sotto
