#include "sotto/audit/program/public_facts.h"

#include <gtest/gtest.h>

#include <string>

namespace sotto {
namespace {

PublicFacts Facts(const std::string& out) {
  return ExtractFacts({.out = out, .error = "", .files = {}}, {}, {});
}

TEST(PublicFactsTest, NumbersAreTakenOutOfWords) {
  const PublicFacts facts = Facts("mistakes 1,234 of -5.5e-3 (7 %)\n");
  EXPECT_EQ(facts.shapes.at("standard output, line 1"),
            "mistakes # of # (# %)");
  EXPECT_EQ(facts.numbers.at("standard output, line 1, number 1"), "1,234");
  EXPECT_EQ(facts.numbers.at("standard output, line 1, number 2"), "-5.5e-3");
}

TEST(PublicFactsTest, ColumnsMayBeAsWideAsTheirNumbers) {
  EXPECT_EQ(Facts("a   1  b\n").shapes, Facts("a 100 b\n").shapes);
  EXPECT_NE(Facts("a 1 b\n").shapes, Facts("a 1 c\n").shapes);
  EXPECT_NE(Facts("a\n").shapes, Facts("a\n\n").shapes);
}

TEST(PublicFactsTest, OfAPictureOnlyThatItIsThereCounts) {
  EXPECT_EQ(Facts("<svg a><b/>\n</svg>\n").shapes,
            Facts("<svg></svg>\n").shapes);
  EXPECT_NE(Facts("<svg></svg>\n").shapes, Facts("\n").shapes);
}

TEST(PublicFactsTest, OwnAnswersAreLeftOutAndOthersAreNot) {
  const ProgramReading reading{.answers = "p", .rows = 3, .allowed = {}};
  const auto facts = [&](const std::string& p) {
    return ExtractFacts({.out = "", .error = "", .files = {{"p", p}}}, reading,
                        {1});
  };
  EXPECT_EQ(facts("1\n0\n1\n").numbers, facts("1\n1\n1\n").numbers);
  EXPECT_EQ(facts("1\n0\n1\n").shapes, facts("1\n\n1\n").shapes);
  EXPECT_NE(facts("1\n0\n1\n").numbers, facts("0\n0\n1\n").numbers);
  EXPECT_NE(facts("1\n0\n1\n").shapes, facts("\n0\n1\n").shapes);
}

TEST(PublicFactsTest, FaultsHaveTheirRound) {
  const ProgramReading reading{
      .answers = "-", .rows = 2, .allowed = {"0", "1"}};
  const auto fault = [&](ProgramOutcome::End end, int code,
                         const std::string& out) {
    return FindFault(
        {.end = end, .code = code, .out = out, .error = "", .files = {}},
        reading);
  };
  using End = ProgramOutcome::End;
  EXPECT_EQ(fault(End::kExited, 0, "1\n0\n"), "");
  EXPECT_EQ(fault(End::kExited, 0, "1\n\n"), "");
  EXPECT_EQ(fault(End::kHung, 0, "1\n"), "round 2: it hung");
  EXPECT_EQ(fault(End::kCrashed, 11, ""), "round 1: it crashed by signal 11");
  EXPECT_EQ(fault(End::kExited, 3, "1\n"),
            "round 2: it ended with exit code 3");
  EXPECT_EQ(fault(End::kExited, 0, "1\n5\n"),
            "round 2: the answer '5' is out of range");
  EXPECT_EQ(fault(End::kExited, 0, "1\n"), "round 2: 1 answers to 2 rows");
}

}  // namespace
}  // namespace sotto
