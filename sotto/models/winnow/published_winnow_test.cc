#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/batch/predicted_text.h"
#include "sotto/models/winnow/winnow_publication.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

const InputSpec kColumns = {
    .features = 3, .dense = 3, .names = {"a", "b", "c"}};

Json Published(const InputSpec& inputs, std::vector<float> weights,
               const WinnowPublication::Params& params = {}) {
  const WinnowHypothesis hypothesis(std::move(weights), params.bias);
  Json json = WinnowPublication(inputs, params).Of(hypothesis);
  json["model"] = "winnow";
  return json;
}

class PublishedWinnowTest : public ::testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& content) {
    const std::string path = folder_.path(name);
    std::ofstream(path) << content;
    return path;
  }
  static std::string Predicted(const Json& model, const TableSource& source,
                               bool with_labels = false) {
    return PredictedText(PublishedWinnow(), model, source, with_labels);
  }

  testing::ScratchFolder folder_;
};

TEST_F(PublishedWinnowTest, PredictsFromACsvFileByItsColumns) {
  const Json model = Published(kColumns, {0.5F, -0.25F, 0});
  const auto path = File("d.csv", "a,b,c,y\n1,0,0,1\n0,1,0,1\n1,1,9,0\n\n");
  EXPECT_EQ(Predicted(model, {.path = path}), "1 0 1 ?");
  EXPECT_EQ(Predicted(model, {.path = path}, true), "1 0! 1! ?");
  const auto unlabelled = File("u.csv", "a,b,c\n1,0,0\n");
  EXPECT_EQ(Predicted(model, {.path = unlabelled}, true), "1");
}

TEST_F(PublishedWinnowTest, ALabelThatIsNoneIsAMissingLabel) {
  const Json model = Published(kColumns, {0.5F, -0.25F, 0});
  const auto path = File("d.csv", "a,b,c,y\n1,0,0,what\n");
  EXPECT_EQ(Predicted(model, {.path = path}), "1");
  // The row still gets its prediction.
  EXPECT_EQ(Predicted(model, {.path = path}, true), "1");
}

TEST_F(PublishedWinnowTest, RefusesOtherColumnsThanItsOwn) {
  const Json model = Published(kColumns, {0.5F, -0.25F, 0});
  const auto turned = File("t.csv", "b,a,c\n1,0,0\n");
  EXPECT_NE(Predicted(model, {.path = turned}).find("columns are"),
            std::string::npos);
  const auto wide = File("w.csv", "a,b,c,d\n1,0,0,0\n");
  EXPECT_NE(Predicted(model, {.path = wide}).find("too many features"),
            std::string::npos);
}

TEST_F(PublishedWinnowTest, PredictsFromOtherFormats) {
  const InputSpec sparse = {.features = 4 + 8, .dense = 4};
  std::vector<float> weights(12, 0);
  weights[2] = 0.5F;
  const Json model = Published(sparse, weights);
  EXPECT_EQ(Predicted(model, {.path = File("d.libsvm", "+1 3:1\n-1 2:1\n")}),
            "1 0");
  EXPECT_EQ(Predicted(model, {.path = File("d.jsonl",
                                           "{\"x\":[0,0,1]}\n{\"x\":[]}\n")}),
            "1 0");
}

TEST_F(PublishedWinnowTest, ASchemaInsideTheModelIsUsed) {
  Schema schema;
  schema.columns = {{.name = "n",
                     .type = SchemaColumn::Type::kNumber,
                     .values = {},
                     .range = std::pair(0.0, 4.0)},
                    {.name = "c",
                     .type = SchemaColumn::Type::kCategory,
                     .values = {"x", "y"},
                     .range = {}}};
  InputSpec inputs = {.features = 3, .dense = 3, .names = {"n", "c=x", "c=y"}};
  inputs.schema = std::make_shared<const Schema>(schema);
  inputs.label.names = {"no", "yes"};
  const Json model =
      Published(inputs, {0.5F, -0.25F, 0, 0.125F}, {.bias = true});
  const auto path = File("d.csv", "id,c,n\n7,x,0\n8,x,4\n9,y,0\n");
  EXPECT_EQ(Predicted(model, {.path = path}), "no yes yes");
  const auto shown = PublishedWinnow().show(model);
  ASSERT_TRUE(shown);
  EXPECT_LT(shown->find("n  "), shown->find("c=x"));
  EXPECT_LT(shown->find("c=x"), shown->find("(bias)"));
}

TEST_F(PublishedWinnowTest, OnlySoManyFeaturesOfARowCount) {
  const Json model = Published(kColumns, {0, 0, 1}, {.max_nonzeros = 2});
  const auto path = File("d.libsvm", "1 1:1 2:1 3:1\n1 2:1 3:1\n");
  EXPECT_EQ(Predicted(model, {.path = path}), "0 1");
}

TEST_F(PublishedWinnowTest, RowsThatCannotBeUsedHaveAnEmptyLineOrAnError) {
  const Json model = Published(kColumns, {0.5F, -0.25F, 0});
  const auto path = File("d.csv", "a,b,c\n1,0,0\nx,0,0\n0,1,0\n");
  EXPECT_EQ(Predicted(model, {.path = path, .skip_bad = true}), "1 ? 0");
  EXPECT_NE(Predicted(model, {.path = path}).find("line 3"), std::string::npos);
}

TEST_F(PublishedWinnowTest, AFileThatIsNoHalfspaceIsRefusedByName) {
  const Json good = Published(kColumns, {0.5F, -0.25F, 0});
  ASSERT_TRUE(PublishedWinnow().show(good));
  const auto refused = [&](std::string_view member, Json value) {
    Json bad = good;
    bad[member] = std::move(value);
    const auto shown = PublishedWinnow().show(bad);
    return !shown && shown.error().message.find(member) != std::string::npos;
  };
  EXPECT_TRUE(refused("format", "something"));
  EXPECT_TRUE(refused("version", 2));
  EXPECT_TRUE(refused("version", 0));
  EXPECT_TRUE(refused("features", -1));
  EXPECT_TRUE(refused("features", 4294967295U));
  EXPECT_TRUE(refused("weights", 7));
  EXPECT_TRUE(refused("bias", "x"));
  EXPECT_TRUE(refused("weights", Json::Array{Json::Object{
                                     {"index", 4294967295U}, {"weight", 1}}}));
  EXPECT_TRUE(refused("weights",
                      Json::Array{Json::Object{{"index", -1}, {"weight", 1}}}));
  EXPECT_TRUE(refused(
      "weights", Json::Array{Json::Object{{"index", 1}, {"weight", 1e300}}}));
  EXPECT_TRUE(refused("encoding", Json::Object{{"numbers", 3}}));
  Json fewer = good;
  fewer["features"] = 1;
  EXPECT_FALSE(PublishedWinnow().show(fewer));
}

}  // namespace
}  // namespace sotto
