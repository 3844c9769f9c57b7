// A model of the registry brings more than code. Each test names the file that
// was forgotten.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/registry/registry.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = SOTTO_TREE;

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Folder(const OnlineModelEntry& entry) {
  return "sotto/models/" + std::string(entry.name);
}

// The pages that headers of a folder name after "Proof:".
std::vector<std::string> ProofPages(const fs::path& folder) {
  std::vector<std::string> pages;
  if (!fs::is_directory(folder)) return pages;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".h") continue;
    std::istringstream lines(Read(file.path()));
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string slashes;
      std::string proof;
      std::string page;
      words >> slashes >> proof >> page;
      const auto end = page.find(".md");
      if (proof != "Proof:" || end == std::string::npos) continue;
      pages.push_back(page.substr(0, end + 3));
    }
  }
  return pages;
}

bool HasPapersRow(const std::string& folder) {
  std::istringstream rows(Read(kTree / "docs/papers.md"));
  std::string row;
  while (std::getline(rows, row)) {
    if (row.starts_with("|") && row.ends_with(" |") &&
        row.find("`" + folder + "/") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Returns true if `file`, the model's own or the program's, has a golden output
// of `model`. The program's file holds no commands.
bool HasGolden(const fs::path& file, std::string_view model) {
  const auto cases = Json::Parse(Read(file));
  const Json* found = cases ? cases->Find(model) : nullptr;
  if (found == nullptr) return false;
  return found->Find("command") == nullptr ||
         found->Find("recorded") != nullptr;
}

class CompleteModelTest
    : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }
};

TEST_P(CompleteModelTest, HasAFolderOfItsName) {
  EXPECT_TRUE(fs::is_directory(kTree / Folder(entry())))
      << "the model '" << entry().name << "' has no folder " << Folder(entry());
}

TEST_P(CompleteModelTest, HasAProofPageThatAHeaderNames) {
  const fs::path folder = kTree / Folder(entry());
  const auto pages = ProofPages(folder);
  EXPECT_FALSE(pages.empty())
      << "no header in " << Folder(entry())
      << " has a line '// Proof: PAGE.md': the model '" << entry().name
      << "' needs a proof page beside its mechanism (docs/proof-page.md)";
  for (const std::string& page : pages) {
    EXPECT_TRUE(fs::exists(folder / page) || fs::exists(kTree / page))
        << "a header in " << Folder(entry()) << " names the proof page " << page
        << ", which does not exist";
  }
}

TEST_P(CompleteModelTest, HasARowInThePapersPage) {
  EXPECT_TRUE(HasPapersRow(Folder(entry())))
      << "docs/papers.md has no row with a file in " << Folder(entry())
      << ": add one for the model '" << entry().name << "'";
}

TEST_P(CompleteModelTest, HasAGoldenOutput) {
  EXPECT_TRUE(
      HasGolden(kTree / Folder(entry()) / "golden.json", entry().name) ||
      HasGolden(kTree / "apps/sotto/golden.json", entry().name))
      << "no golden output of the model '" << entry().name << "': write "
      << Folder(entry()) << "/golden.json with a case of that name, then run "
      << "apps/sotto/golden_test.py SOTTO --record";
}

INSTANTIATE_TEST_SUITE_P(
    Registry, CompleteModelTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

TEST(CompleteModelsTest, EveryModelThatPublishesCanBeReadAgain) {
  for (const OnlineModelEntry* entry : OnlineModels()) {
    EXPECT_EQ(FindPublishedModel(entry->name) != nullptr,
              entry->publishes != "nothing")
        << "the model '" << entry->name << "' says that it publishes "
        << entry->publishes << ": its entry needs .file exactly if it does";
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    EXPECT_NE(FindPublishedModel(entry->name), nullptr)
        << "the batch model '" << entry->name << "' has no ModelFileFormat";
  }
}

}  // namespace
}  // namespace sotto
