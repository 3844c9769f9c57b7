#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "sotto/base/settings.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"

namespace sotto {

inline constexpr std::uint32_t kTestFeatures = 3;

// The settings of the row's own example, but for files.
inline Settings MakeExample(const OnlineModelEntry& entry) {
  Settings settings(Session::Options(entry));
  std::istringstream words{std::string(entry.example)};
  std::string word;
  while (words >> word) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2);
    const Option* option = FindOption(settings.table(), name);
    if (option == nullptr) continue;
    if (option->type == OptionType::kFlag) {
      EXPECT_TRUE(settings.Set(name, "true"));
      continue;
    }
    words >> word;
    const Status set = settings.Set(name, word);
    EXPECT_TRUE(set) << (set ? "" : set.error().message);
  }
  // The example may be about a stream with fewer features, or with more.
  EXPECT_TRUE(settings.Set("anyway", "true"));
  if (FindOption(settings.table(), "features") != nullptr) {
    EXPECT_TRUE(settings.Set("features", std::to_string(kTestFeatures)));
  }
  return settings;
}

inline InputSpec TestInputs(const OnlineModelEntry& entry) {
  InputSpec inputs{
      .features = kTestFeatures, .dense = kTestFeatures, .print = "p"};
  inputs.names = {"a", "b", "c"};
  inputs.label.kind = entry.labels.front();
  if (inputs.label.kind == LabelType::Kind::kClasses) {
    inputs.label.names = {"0", "1"};
  }
  return inputs;
}

}  // namespace sotto
