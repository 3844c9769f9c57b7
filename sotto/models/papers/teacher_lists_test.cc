#include "sotto/models/papers/teacher_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sotto/learners/classes/class_file.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/models/papers/littlestone_erm.h"

namespace sotto {
namespace {

using Labels = TeacherLists::Labels;

std::shared_ptr<const FiniteClass> Class(const char* name) {
  return std::make_shared<const FiniteClass>(*ReadClass(name));
}

TEST(TeacherListsTest, OfLargePAreTheSetAndElseTheEssentialOnes) {
  for (const char* name : {"thresholds:5", "points:6", "intervals:3"}) {
    const auto functions = Class(name);
    LittlestoneDimension dimension(*functions);
    const int d = dimension.Of(functions->All());
    TeacherLists lists(
        {.functions = functions, .dimension = d, .list_size = 100});
    for (std::uint64_t set = 1; set < 1U << functions->size(); ++set) {
      for (const std::uint64_t p : {1U, 2U, 9U}) {
        Decomposition exact(dimension, {.p = p, .d = d});
        auto expected = exact.Essential({set});
        std::ranges::sort(expected);
        std::vector<Labels> listed;
        for (const auto item : lists.Of({set}, p)) {
          listed.push_back(lists.labels(item));
        }
        ASSERT_EQ(listed, expected) << name << " " << set << " " << p;
      }
    }
  }
}

std::vector<Labels> GetListed(TeacherLists& lists, std::uint64_t set,
                              std::uint64_t p) {
  std::vector<Labels> listed;
  for (const auto item : lists.Of({set}, p)) {
    listed.push_back(lists.labels(item));
  }
  return listed;
}

TEST(TeacherListsExactTest, PointsHaveTheListsOfTheExactSearch) {
  for (const char* name : {"points:3", "points:7", "points:12"}) {
    const auto functions = Class(name);
    TeacherLists exact(
        {.functions = functions, .dimension = 1, .list_size = 100});
    TeacherLists formula({.functions = functions,
                          .dimension = 1,
                          .list_size = 100,
                          .form = TeacherLists::Form::kPoints});
    for (std::uint64_t set = 1; set < 1U << functions->size(); ++set) {
      for (std::uint64_t p = 1; p <= 12; ++p) {
        ASSERT_EQ(GetListed(formula, set, p), GetListed(exact, set, p))
            << name << " " << set << " " << p;
      }
    }
  }
}

TEST(TeacherListsTest, PointsOfLargeSetsAreTheFunctionZeroAlone) {
  const auto functions = Class("points:64");
  TeacherLists lists({.functions = functions,
                      .dimension = 1,
                      .list_size = 100,
                      .form = TeacherLists::Form::kPoints});
  const auto zero = GetListed(lists, ~std::uint64_t{0}, 62);
  EXPECT_EQ(zero, std::vector<Labels>{Labels(64, false)});
  EXPECT_EQ(GetListed(lists, ~std::uint64_t{0}, 63).size(), 64U);
  EXPECT_EQ(GetListed(lists, 0b111, 2).size(), 3U);
  EXPECT_EQ(GetListed(lists, 0b1111, 2), zero);
}

TEST(TeacherListsTest, ThePointsAreRecognisedAndNothingElseIs) {
  using Form = TeacherLists::Form;
  EXPECT_TRUE(TeacherLists::IsPoints(*Class("points:20")));
  EXPECT_FALSE(TeacherLists::IsPoints(*Class("thresholds:20")));
  EXPECT_FALSE(TeacherLists::IsPoints(*FiniteClass::Parse("100\n011\n")));
  EXPECT_FALSE(TeacherLists::IsPoints(*FiniteClass::Parse("100\n000\n")));
  EXPECT_EQ(TeacherLists::FormFor(*Class("points:20"), 4), Form::kPoints);
  EXPECT_EQ(TeacherLists::FormFor(*Class("points:20"), 20), Form::kExact);
  EXPECT_EQ(TeacherLists::FormFor(*Class("thresholds:20"), 4), Form::kGreedy);
  EXPECT_EQ(TeacherLists::FormFor(*Class("points:20"), 4, Form::kExact),
            Form::kPoints);
  EXPECT_EQ(TeacherLists::FormFor(*Class("points:20"), 4, Form::kGreedy),
            Form::kGreedy);
  EXPECT_TRUE(TeacherLists::Check(
      {.functions = Class("points:20"), .dimension = 1, .form = Form::kPoints},
      4));
  EXPECT_FALSE(TeacherLists::Check(
      {.functions = Class("points:20"), .dimension = 2, .form = Form::kPoints},
      4));
  EXPECT_FALSE(TeacherLists::Check({.functions = Class("thresholds:20"),
                                    .dimension = 5,
                                    .form = Form::kPoints},
                                   4));
}

TEST(TeacherListsTest, AreCutByTheirLabelsWhateverWasAskedBefore) {
  const auto functions = Class("points:5");
  TeacherLists one({.functions = functions, .dimension = 1, .list_size = 2});
  TeacherLists other({.functions = functions, .dimension = 1, .list_size = 2});
  other.Of({0b00011}, 5);
  const auto labels = [](TeacherLists& lists, FiniteClass::Set set) {
    std::vector<Labels> found;
    for (const auto item : lists.Of(set, 5))
      found.push_back(lists.labels(item));
    return found;
  };
  EXPECT_EQ(labels(one, {0b11111}).size(), 2U);
  EXPECT_EQ(labels(one, {0b11111}), labels(other, {0b11111}));
  EXPECT_EQ(TopFrequency({one.Of({0b11111}, 5), one.Of({0b11000}, 5)}), 2);
  EXPECT_TRUE(one.Of({0}, 5).empty());
}

TEST(TeacherListsTest, HaveNothingTwice) {
  const auto twice = std::make_shared<const FiniteClass>(*FiniteClass::Create(
      6, 3, [](std::uint64_t h, std::uint64_t x) { return h % 3 == x; }));
  TeacherLists lists({.functions = twice, .dimension = 1, .list_size = 5});
  EXPECT_EQ(lists.Of(twice->All(), 3).size(), 3U);
}

// Every teacher keeps in this stage what one teacher keeps in the next, if
// their errors differ by no more than is likely: Theorem 3 has each within 1 +-
// 1/(5d) of the whole table, Claim 6.2 within 1 + 1/(5d) of each other.
TEST(StageToleranceTest, StagesAreFurtherApartThanTeachers) {
  constexpr int kErm = LittlestoneErm::kStageDivisor;
  constexpr int kOnline = DpOnlineLearner::kStageDivisor;
  for (int d = 1; d <= 20; ++d) {
    const double part = 1.0 / (5 * d);
    for (std::uint64_t stage = 1; stage <= 20; ++stage) {
      const auto at = [&](int divisor, std::uint64_t j) {
        return static_cast<double>(StageTolerance(0.1, d, divisor, j));
      };
      EXPECT_LE(at(kErm, stage + 1) * (1 + part) / (1 - part),
                at(kErm, stage) + 1);
      EXPECT_LE(at(kOnline, stage + 1) * (1 + part), at(kOnline, stage) + 1);
      EXPECT_GT(at(kOnline, stage + 1) * (1 + part) / (1 - part),
                at(kOnline, stage) + 1);
    }
  }
}

// Whatever sets were asked for before, which gives items other numbers.
TEST(TeacherListsTest, PlacesAreThoseOfLabels) {
  const auto functions = Class("thresholds:7");
  const auto places = [](TeacherLists& lists, std::uint64_t set) {
    std::vector found = {lists.Of({set}, 2), lists.Of({0b00111100}, 2)};
    auto placed = found;
    const auto by_labels = lists.RankByLabels(placed);
    std::vector<Labels> labels;
    for (const auto item : by_labels) labels.push_back(lists.labels(item));
    EXPECT_TRUE(std::ranges::is_sorted(labels));
    return std::pair(std::pair(placed, labels), found);
  };
  int renumbered = 0;
  for (std::uint64_t set = 1; set < 256; ++set) {
    TeacherLists one({.functions = functions, .dimension = 3, .list_size = 9});
    TeacherLists other(
        {.functions = functions, .dimension = 3, .list_size = 9});
    other.Of({0b11110000}, 2);
    const auto here = places(one, set);
    const auto there = places(other, set);
    EXPECT_EQ(here.first, there.first);
    renumbered += here.second != there.second ? 1 : 0;
  }
  EXPECT_GT(renumbered, 20);
}

TEST(TeacherListsTest, KeepsWhatIsWrongOnNoLargerAShare) {
  const auto functions = Class("points:3");  // function h is 1 at point h
  const TeacherRows rows = {{0, true}, {0, true}, {1, true}};
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
  // They are wrong on 1, 2 and 3 of 3 rows.
  EXPECT_EQ(KeptBy(*functions, rows, kOne / 3 - 1), FiniteClass::Set{0b000});
  EXPECT_EQ(KeptBy(*functions, rows, kOne / 3 + 1), FiniteClass::Set{0b001});
  EXPECT_EQ(KeptBy(*functions, rows, 2 * kOne / 3 - 1),
            FiniteClass::Set{0b001});
  EXPECT_EQ(KeptBy(*functions, rows, 2 * kOne / 3 + 1),
            FiniteClass::Set{0b011});
}

TEST(TeacherListsTest, RefuseADimensionBelowTheClasss) {
  TeacherLists::Params params{
      .functions = Class("thresholds:7"), .dimension = 3, .list_size = 8};
  EXPECT_TRUE(TeacherLists::Check(params, 1));
  params.dimension = 2;
  const Status low = TeacherLists::Check(params, 1);
  ASSERT_FALSE(low);
  EXPECT_NE(low.error().message.find("Littlestone dimension"),
            std::string::npos);
  EXPECT_TRUE(TeacherLists::Check(params, 7));  // no set has to be searched
}

}  // namespace
}  // namespace sotto
