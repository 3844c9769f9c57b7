#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/journal/file_journal.h"
#include "sotto/journal/journal.h"
#include "sotto/random/key.h"
#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {

inline Key KeyOfBytes(unsigned char first) {
  std::array<std::byte, Key::kBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(first + i);
  }
  return Key::FromBytes(bytes);
}

inline AppendResult AppendTexts(Journal& journal,
                                const std::vector<std::string>& texts) {
  std::vector<RecordView> records;
  records.reserve(texts.size());
  for (const std::string& text : texts) {
    records.push_back({RecordType::kRound, text});
  }
  return journal.Append(records);
}

// Payloads of all records but CLAIMs.
inline Result<std::vector<std::string>> ReadTexts(Journal& journal,
                                                  std::uint64_t after = 0) {
  std::vector<std::string> texts;
  SOTTO_TRY(journal.Read(after, [&](const JournalEntry& entry) -> Status {
    if (entry.record.type != RecordType::kClaim) {
      texts.emplace_back(entry.record.payload);
    }
    return Ok();
  }));
  return texts;
}

// Thousands of small files are faster in memory, where the machine offers it.
inline std::filesystem::path FastFolder() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0
             ? memory
             : std::filesystem::temp_directory_path();
}

// A folder with a journal and, if wanted, an anchor. Syncs cost no time unless
// a test asks for the machine's own files.
class JournalFolder {
 public:
  explicit JournalFolder(bool anchored = false,
                         std::uint64_t segment_bytes = 4096)
      : options_{.folder = folder_.path("j"),
                 .anchor = anchored ? folder_.path("a") : "",
                 .roots = {KeyOfBytes(1)},
                 .segment_bytes = segment_bytes,
                 .files = &files_} {
    files_.SkipRealSyncs();
  }

  FileJournalOptions& options() { return options_; }
  FaultyFileSystem& files() { return files_; }
  const ScratchFolder& scratch() const { return folder_; }
  Result<std::unique_ptr<FileJournal>> Create() const {
    return FileJournal::Create(options_);
  }
  Result<std::unique_ptr<FileJournal>> Open() const {
    return FileJournal::Open(options_);
  }
  // Names of the files of a folder, "j" or "a", except the lock.
  std::vector<std::string> Files(const std::filesystem::path& in) const {
    std::vector<std::string> names;
    for (const auto& file :
         std::filesystem::directory_iterator(folder_.path(in.string()))) {
      const std::filesystem::path name = file.path().filename();
      if (name != "lock") names.push_back((in / name).string());
    }
    std::ranges::sort(names);
    return names;
  }
  void Copy(const std::string& from, const std::string& to) const {
    std::filesystem::remove_all(folder_.path(to));
    std::filesystem::copy(folder_.path(from), folder_.path(to),
                          std::filesystem::copy_options::recursive);
  }

 private:
  ScratchFolder folder_{FastFolder()};
  FaultyFileSystem files_;
  FileJournalOptions options_;
};

// A journal with these blocks, closed again.
inline void WriteBlocks(const JournalFolder& folder,
                        const std::vector<std::vector<std::string>>& blocks) {
  auto journal = folder.Create();
  ASSERT_TRUE(journal) << journal.error().message;
  ASSERT_TRUE((*journal)->Claim("test").durable());
  for (const auto& block : blocks) {
    ASSERT_TRUE(AppendTexts(**journal, block).durable());
  }
}

}  // namespace sotto::testing
