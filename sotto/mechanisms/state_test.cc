// Every field of the saved state of every mechanism: one that is saved and
// loaded after each round continues as one that is not, and is written again
// byte for byte. A state of other parameters is refused. A header that declares
// a Save and has no case fails the last test.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "sotto/mechanisms/state_test_cases.h"

namespace sotto {
namespace {

class EveryMechanismStateTest : public ::testing::TestWithParam<StateCase> {};

TEST_P(EveryMechanismStateTest, GoesOnAsIfItHadNeverBeenSaved) {
  GetParam().check();
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryMechanismStateTest, ::testing::ValuesIn(AllStates()),
    [](const ::testing::TestParamInfo<StateCase>& one) {
      std::string name =
          std::to_string(one.index) + "_" +
          std::filesystem::path(one.param.header).stem().string();
      return name;
    });

// Headers that are part of several mechanisms, each with its own states.
const std::set<std::string> kParts = {"thresholds/challenge_band.h",
                                      "thresholds/fresh_noise_band.h"};

TEST(MechanismStatesTest, EveryMechanismThatIsSavedIsHere) {
  std::set<std::string> checked = kParts;
  for (const StateCase& one : AllStates()) checked.insert(one.header);
  const auto folder = std::filesystem::path(__FILE__).parent_path();
  std::size_t headers = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name =
        std::filesystem::relative(file.path(), folder).generic_string();
    // models/registry/every_state_test.cc saves the models on boundaries, a
    // separate module that this test cannot link.
    if (file.path().extension() != ".h" || name.starts_with("boundaries/")) {
      continue;
    }
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.find("void Save(ByteWriter") == std::string::npos) continue;
    ++headers;
    EXPECT_TRUE(checked.contains(name)) << name << " has no states here";
  }
  EXPECT_GT(headers, 15u);
}

}  // namespace
}  // namespace sotto
