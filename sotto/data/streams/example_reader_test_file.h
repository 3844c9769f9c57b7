#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader.h"

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

// Rounds as a reader gives them.
inline Round Present(FeatureVector x, std::optional<Label> y,
                     std::string user = {}) {
  return {.x = std::move(x), .y = y, .user = std::move(user)};
}
inline Round Absent(std::string user = {}) {
  return {.presence = Presence::kAbsent, .user = std::move(user)};
}
inline Round Unusable(std::string user = {}) {
  return {.presence = Presence::kUnusable, .user = std::move(user)};
}

struct ReadOutcome {
  std::vector<Round> rounds;
  std::string error;  // without the folder
  std::string skipped;
  std::uint64_t clamped = 0;
  std::uint64_t unknown_labels = 0;
  std::uint32_t features = 0;
  std::string print;
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
  outcome.print = reader->input_fingerprint();
  Round round;
  while (true) {
    const auto more = reader->Next(round);
    if (!more) outcome.error = shorten(more.error().message);
    if (!more || !*more) break;
    outcome.rounds.push_back(round);
  }
  outcome.skipped = reader->skipped().Text();
  outcome.clamped = reader->skipped().clamped;
  outcome.unknown_labels = reader->skipped().unknown_labels;
  return outcome;
}

}  // namespace sotto
