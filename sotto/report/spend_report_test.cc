#include "sotto/report/spend_report.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

Guarantee Example() {
  Spend spend = AddParts(
      "row", {PurePart("counts", SamplerKind::kLaplace, 0.125, 2, 1e-9),
              ComposeParts("phase", {0.5, 1e-7},
                           {MakePart("votes", {},
                                     SpentNoise{.kind = SamplerKind::kGaussian,
                                                .scale = 3,
                                                .sensitivity = 1})})});
  spend = ForSteps(spend, 2);
  const ApproximateDp total = Total(spend);
  return *MakeGuarantee({.protects = "rows", .spend = spend}, total);
}

TEST(SpendReportTest, TheTreeHasTheCostOfEveryPart) {
  const Json json = SpendJson(Example());
  EXPECT_EQ(json.Find("name")->Dump(), "\"row\"");
  EXPECT_EQ(json.Find("rule")->Dump(), "\"sum\"");
  EXPECT_EQ(json.Find("steps")->natural(), 2U);
  EXPECT_EQ(json.Find("epsilon")->Dump().substr(0, 3), "1.5");
  const Json& counts = (*json.Find("parts")->array())[0];
  EXPECT_EQ(counts.Find("epsilon")->Dump(), "0.25");
  EXPECT_EQ(counts.Find("noise")->Find("scale")->Dump(), "8.0");
  EXPECT_EQ(counts.Find("noise")->Find("kind")->Dump(), "\"laplace\"");
}

TEST(SpendReportTest, TheTableNamesEveryPartAndItsNoise) {
  const std::string text = SpendText(Example());
  EXPECT_NE(text.find("Where the budget goes"), std::string::npos);
  EXPECT_NE(text.find("counts"), std::string::npos);
  EXPECT_NE(text.find("laplace, scale 8, sensitivity 2"), std::string::npos);
  EXPECT_NE(text.find("gaussian, scale 3"), std::string::npos);
  EXPECT_NE(text.find("sum, x 2"), std::string::npos) << text;
  EXPECT_EQ(SpendTable(Example()).size(), 4U);
}

TEST(SpendReportTest, AGuaranteeWithoutPartsHasNoTable) {
  const auto plain = Guarantee::Create({.epsilon = 1, .protects = "rows"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(SpendText(*plain), "");
  EXPECT_EQ(SpendJson(*plain), Json());
}

}  // namespace
}  // namespace sotto
