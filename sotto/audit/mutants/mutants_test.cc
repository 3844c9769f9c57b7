#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "sotto/audit/audit.h"
#include "sotto/audit/mutants/mutant.h"

namespace sotto {
namespace {

// More games than this are for the benchmark.
constexpr std::uint64_t kMostRuns = 1'000'000;

class MutantStatisticalTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MutantStatisticalTest, IsAViolation) {
  const Mutant& mutant = Mutants()[GetParam()];
  if (mutant.runs > kMostRuns) GTEST_SKIP() << "for the benchmark";
  const AuditResult result = Audit(mutant.make(), {.runs = mutant.runs});
  EXPECT_TRUE(result.violation())
      << mutant.broken << ": " << result.worst().epsilon_lower();
}

TEST_P(MutantStatisticalTest, WithoutItsMistakeIsConsistent) {
  const Mutant& mutant = Mutants()[GetParam()];
  if (mutant.sound == nullptr) GTEST_SKIP() << "the law itself is the mistake";
  const AuditResult result = Audit(
      mutant.sound(), {.runs = std::min<std::uint64_t>(mutant.runs, 15'000)});
  EXPECT_FALSE(result.violation());
  EXPECT_FALSE(result.broken()) << result.worst().fault.value_or("");
  EXPECT_LE(result.worst().epsilon_lower(), result.worst().claim.epsilon);
}

INSTANTIATE_TEST_SUITE_P(All, MutantStatisticalTest,
                         ::testing::Range(std::size_t{0}, Mutants().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& row) {
                           std::string name = Mutants()[row.param].name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(MutantsTest, ThereAreTwentyWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Mutant& mutant : Mutants()) names.insert(mutant.name);
  EXPECT_EQ(names.size(), Mutants().size());
  EXPECT_GE(names.size(), 20u);
}

}  // namespace
}  // namespace sotto
