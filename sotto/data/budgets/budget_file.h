#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/budget_filter.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/budgets/budget_entry.h"
#include "sotto/data/files/file_system.h"

namespace sotto {

// The record of a budget: a file of lines that only grows, each sealed by a
// hash of all lines before it.
//
//   Status made = BudgetFile::Create("readers.budget", head);
//   auto after = BudgetFile::Spend("readers.budget", guarantee,
//                                  {.command = "run tide"});
//   if (!after) return after.error();     // refused: touch no data
//   auto record = BudgetFile::Read("readers.budget");
//
// Spend returns when the charge is on disk. A process that is killed leaves
// the charge or not; one that started a mechanism has left it. Two processes
// wait for each other.
//
// Guarantee: BudgetFilter's, for all charges for which Spend returned a record.
// Proof:     sotto/accounting/budget_filter.md; format: docs/formats/budget.md.
// Threads:   free functions; Read returns a value.
class BudgetFile {
 public:
  // The operator's part of a charge.
  struct Label {
    std::string command;
    std::string group = {};
    std::string note = {};
  };

  // Fails with kFailedPrecondition if there is a file, kInvalidArgument for a
  // limit that cannot be, kUnavailable if the system refuses. Sets time and id.
  static Status Create(const std::string& path, BudgetHead head,
                       FileSystem& files = RealFiles());
  // Fails with kUnavailable, or with kCorruption and the line.
  static Result<BudgetFile> Read(const std::string& path,
                                 FileSystem& files = RealFiles());
  // Charges the cost of a guarantee. Fails with kBudgetExhausted if it exceeds
  // the limit, kFailedPrecondition if another process keeps the file locked
  // for longer than `patience`, and as Read does.
  static Result<BudgetFile> Spend(
      const std::string& path, const Guarantee& guarantee, const Label& label,
      FileSystem& files = RealFiles(),
      std::chrono::milliseconds patience = std::chrono::seconds(30));

  const BudgetHead& head() const { return head_; }
  const std::vector<BudgetEntry>& entries() const { return entries_; }
  const BudgetFilter& filter() const { return filter_; }
  // Hash of all lines.
  const std::string& seal() const { return seals_.back(); }
  // True if some line ended with this hash: the record has not been cut back.
  bool Contains(std::string_view seal) const;
  // Notion and adversary of the total: the weakest of its charges.
  Notion notion() const;
  Adversary adversary() const;

 private:
  BudgetFile(BudgetHead head, BudgetFilter filter, std::string seal)
      : head_(std::move(head)), filter_(std::move(filter)), seals_{seal} {}
  static Result<BudgetFile> Parse(std::string_view text);
  Status Take(BudgetEntry entry);
  Status Append(const std::string& path, const BudgetEntry& entry,
                FileSystem& files);

  BudgetHead head_;
  BudgetFilter filter_;
  std::vector<BudgetEntry> entries_;
  std::vector<std::string> seals_;  // of the first line and of each entry
  std::uint64_t bytes_ = 0;         // complete lines
  bool torn_ = false;               // there is more behind them
};

}  // namespace sotto
