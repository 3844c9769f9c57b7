#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sotto/service/dashboard/assets.h"

namespace sotto {
namespace {

// Files that a page names between quotes, by their beginning.
std::set<std::string> NamedBy(std::string_view text, std::string_view start,
                              const std::string& folder) {
  std::set<std::string> names;
  for (std::size_t at = text.find(start); at != std::string_view::npos;
       at = text.find(start, at + 1)) {
    const std::size_t from = at + start.size();
    names.insert(folder +
                 std::string(text.substr(from, text.find('"', from) - from)));
  }
  return names;
}

std::set<std::string> Paths() {
  std::set<std::string> paths;
  for (const Asset& asset : DashboardAssets()) paths.emplace(asset.path);
  return paths;
}

TEST(AssetsTest, EveryFileThatAPageNamesIsThere) {
  const std::set<std::string> paths = Paths();
  EXPECT_EQ(paths.size(), DashboardAssets().size());
  for (const Asset& asset : DashboardAssets()) {
    EXPECT_FALSE(asset.content.empty()) << asset.path;
    std::set<std::string> named =
        NamedBy(asset.content, "\"/dashboard/", "/dashboard/");
    named.merge(NamedBy(asset.content, "from \"./", "/dashboard/"));
    for (const std::string& path : named) {
      EXPECT_TRUE(paths.contains(path)) << asset.path << " names " << path;
    }
  }
}

TEST(AssetsTest, NothingIsInlineOrFromElsewhere) {
  for (const Asset& asset : DashboardAssets()) {
    for (const char* word : {" style=", "<style", "onclick=", "innerHTML",
                             "eval(", "https://", "document.write"}) {
      EXPECT_EQ(asset.content.find(word), std::string_view::npos)
          << asset.path << " has " << word;
    }
  }
}

}  // namespace
}  // namespace sotto
