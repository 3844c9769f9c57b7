#include "sotto/models/registry/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

// Options of an entry's command, and its example.
struct Command {
  std::string name;
  std::string help;
  std::string example;
  OptionTable options;
};

std::vector<Command> AllCommands() {
  std::vector<Command> all;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    all.push_back(
        {std::string(entry->name), std::string(entry->help),
         std::string(entry->example),
         ConcatOptions({PrivacyOptions(), StreamOptions(), entry->options})});
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    all.push_back({std::string(entry->name), std::string(entry->help),
                   std::string(entry->example),
                   ConcatOptions({PrivacyOptions(), entry->options,
                                  entry->plan_options})});
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
  for (const Command& entry : AllCommands()) {
    EXPECT_FALSE(entry.help.empty()) << entry.name;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(FindOnlineModel(entry.name) != nullptr ||
                FindBatchModel(entry.name) != nullptr);
  }
  EXPECT_EQ(FindOnlineModel("nobody"), nullptr);
}

TEST(RegistryTest, WhatIsPublishedIsPublishedByAModel) {
  for (const ModelFileFormat* entry : PublishedModels()) {
    EXPECT_TRUE(FindOnlineModel(entry->name) != nullptr ||
                FindBatchModel(entry->name) != nullptr)
        << entry->name;
    EXPECT_NE(entry->show, nullptr);
    EXPECT_NE(entry->read, nullptr);
  }
}

TEST(RegistryTest, EveryOptionHasOneNameHelpAndARangeThatHoldsItsFallback) {
  for (const Command& entry : AllCommands()) {
    std::set<std::string_view> names;
    for (const Option& option : entry.options) {
      EXPECT_TRUE(names.insert(option.name).second)
          << entry.name << " " << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_LE(option.low, option.high) << option.name;
      if (option.type == OptionType::kFlag || option.fallback.empty()) continue;
      Settings settings(entry.options);
      EXPECT_TRUE(settings.Set(option.name, option.fallback)) << option.name;
    }
  }
}

TEST(RegistryTest, NotANumberIsInNoRange) {
  for (const Command& entry : AllCommands()) {
    for (const Option& option : entry.options) {
      if (option.type != OptionType::kReal) continue;
      for (const char* text : {"nan", "inf", "-inf", "-nan"}) {
        Settings settings(entry.options);
        EXPECT_FALSE(settings.Set(option.name, text)) << option.name;
      }
    }
  }
}

TEST(RegistryTest, EveryExampleParsesAndCanBePlanned) {
  for (const Command& entry : AllCommands()) {
    Settings settings(entry.options);
    std::istringstream words(entry.example);
    const Status set = SetAll(words, settings);
    ASSERT_TRUE(set) << entry.name << ": " << set.error().message;
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    Settings settings(
        ConcatOptions({PrivacyOptions(), entry->options, entry->plan_options}));
    std::istringstream words{std::string(entry->example)};
    ASSERT_TRUE(SetAll(words, settings));
    const auto plan = entry->plan(settings);
    ASSERT_TRUE(plan) << entry->name << ": " << plan.error().message;
    EXPECT_TRUE(plan->samples_required);
  }
  for (const OnlineModelEntry* entry : OnlineModels()) {
    Settings settings(
        ConcatOptions({PrivacyOptions(), StreamOptions(), entry->options}));
    std::istringstream words{std::string(entry->example)};
    ASSERT_TRUE(SetAll(words, settings));
    const auto plan = entry->plan(settings, nullptr);
    ASSERT_TRUE(plan) << entry->name << ": " << plan.error().message;
    EXPECT_FALSE(plan->model.empty());
    EXPECT_TRUE(plan->verdict);
    EXPECT_TRUE(plan->parameters.object());
    ReaderParams params;
    EXPECT_TRUE(entry->prepare(settings, params)) << entry->name;
  }
}

}  // namespace
}  // namespace sotto
