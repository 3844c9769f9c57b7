#include "sotto/models/registry/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

// What the row's command is told, and its example.
struct Told {
  std::string name;
  std::string help;
  std::string example;
  OptionTable options;
};

std::vector<Told> AllRows() {
  std::vector<Told> all;
  for (const OnlineRow* row : OnlineModels()) {
    all.push_back(
        {std::string(row->name), std::string(row->help),
         std::string(row->example),
         Together({PrivacyOptions(), StreamOptions(), row->options})});
  }
  for (const BatchRow* row : BatchModels()) {
    all.push_back(
        {std::string(row->name), std::string(row->help),
         std::string(row->example),
         Together({PrivacyOptions(), row->options, row->plan_options})});
  }
  return all;
}

Status SetAll(std::istream& words, Settings& settings) {
  std::string word;
  while (words >> word) {
    if (!word.starts_with("--")) return InvalidArgument(word + ": no option");
    const std::string name = word.substr(2);
    const Option* option = FindOption(settings.table(), name);
    std::string text = "on";
    if (option == nullptr || option->type != OptionType::kFlag) words >> text;
    if (Status set = settings.Set(name, text); !set) return set;
  }
  return settings.CheckRequired();
}

TEST(RegistryTest, NamesAreThereAndUnique) {
  std::set<std::string> names;
  for (const Told& row : AllRows()) {
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(FindOnlineModel(row.name) != nullptr ||
                FindBatchModel(row.name) != nullptr);
  }
  EXPECT_EQ(FindOnlineModel("nobody"), nullptr);
}

TEST(RegistryTest, WhatIsPublishedIsPublishedByAModel) {
  for (const PublishedRow* row : PublishedModels()) {
    EXPECT_TRUE(FindOnlineModel(row->name) != nullptr ||
                FindBatchModel(row->name) != nullptr)
        << row->name;
    EXPECT_NE(row->show, nullptr);
    EXPECT_NE(row->predict, nullptr);
  }
}

TEST(RegistryTest, EveryOptionHasOneNameHelpAndARangeThatHoldsItsFallback) {
  for (const Told& row : AllRows()) {
    std::set<std::string_view> names;
    for (const Option& option : row.options) {
      EXPECT_TRUE(names.insert(option.name).second)
          << row.name << " " << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_LE(option.low, option.high) << option.name;
      if (option.type == OptionType::kFlag || option.fallback.empty()) continue;
      Settings settings(row.options);
      EXPECT_TRUE(settings.Set(option.name, option.fallback)) << option.name;
    }
  }
}

TEST(RegistryTest, NotANumberIsInNoRange) {
  for (const Told& row : AllRows()) {
    for (const Option& option : row.options) {
      if (option.type != OptionType::kReal) continue;
      for (const char* text : {"nan", "inf", "-inf", "-nan"}) {
        Settings settings(row.options);
        EXPECT_FALSE(settings.Set(option.name, text)) << option.name;
      }
    }
  }
}

TEST(RegistryTest, EveryExampleParsesAndCanBePlanned) {
  for (const Told& row : AllRows()) {
    Settings settings(row.options);
    std::istringstream words(row.example);
    const Status set = SetAll(words, settings);
    ASSERT_TRUE(set) << row.name << ": " << set.error().message;
  }
  for (const BatchRow* row : BatchModels()) {
    Settings settings(
        Together({PrivacyOptions(), row->options, row->plan_options}));
    std::istringstream words{std::string(row->example)};
    ASSERT_TRUE(SetAll(words, settings));
    const auto plan = row->plan(settings);
    ASSERT_TRUE(plan) << row->name << ": " << plan.error().message;
    EXPECT_TRUE(plan->samples_required);
  }
  for (const OnlineRow* row : OnlineModels()) {
    Settings settings(
        Together({PrivacyOptions(), StreamOptions(), row->options}));
    std::istringstream words{std::string(row->example)};
    ASSERT_TRUE(SetAll(words, settings));
    const auto plan = row->plan(settings, nullptr);
    ASSERT_TRUE(plan) << row->name << ": " << plan.error().message;
    EXPECT_FALSE(plan->model.empty());
    EXPECT_TRUE(plan->verdict);
    EXPECT_TRUE(plan->parameters.object());
    ExampleReader::Params params;
    EXPECT_TRUE(row->prepare(settings, params)) << row->name;
  }
}

}  // namespace
}  // namespace sotto
