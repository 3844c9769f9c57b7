#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "sotto/streams/example_reader.h"

namespace sotto {

// A file of the test's own.
inline std::string TestFile(const std::string& name, const std::string& text) {
  const std::string path =
      testing::TempDir() + "reader_" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
      name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

struct ReadOutcome {
  std::vector<Example> examples;
  std::string error;  // without the folder
  std::string skipped;
  std::uint32_t features = 0;
};

inline ReadOutcome ReadAll(const std::string& name, const std::string& text,
                           ExampleReader::Params params = {}) {
  params.path = TestFile(name, text);
  const auto shorten = [&](const std::string& message) {
    EXPECT_TRUE(message.starts_with(params.path)) << message;
    std::string shown = "F";
    return shown.append(message, params.path.size());
  };
  ReadOutcome outcome;
  auto reader = ExampleReader::Open(params);
  if (!reader) {
    outcome.error = shorten(reader.error().message);
    return outcome;
  }
  outcome.features = reader->features();
  Example example;
  while (true) {
    const auto more = reader->Next(example);
    if (!more) outcome.error = shorten(more.error().message);
    if (!more || !*more) break;
    outcome.examples.push_back(example);
  }
  outcome.skipped = reader->skipped().Text();
  return outcome;
}

}  // namespace sotto
