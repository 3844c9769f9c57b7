#include "sotto/data/streams/public_inputs.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;
using Names = std::vector<std::string>;

Schema MakeSchema() {
  return {{{"color", SchemaColumn::Type::kCategory, {"red", "green"}, {}},
           {"age", SchemaColumn::Type::kNumber, {}, std::pair(0.0, 50.0)},
           {"wild", SchemaColumn::Type::kBoolean, {}, {}}},
          SchemaLabel{"edible", {.names = {"n", "y"}}}};
}

std::string Fingerprint(const std::string& name, const std::string& text,
                        const Params& params = {}) {
  const ReadOutcome read = ReadAll(name, text, params);
  EXPECT_EQ(read.print.size(), 64U) << read.error;
  return read.print;
}

std::string SchemaPrint(const Schema& schema) {
  return Fingerprint("a.jsonl", "", {.encoding = {.schema = schema}});
}

TEST(PublicInputsTest, TheSameColumnsGiveTheSamePrintWhateverTheRows) {
  EXPECT_EQ(Fingerprint("a.csv", "a,b,y\n1,2,0\n"),
            Fingerprint("b.csv", "a, b ,y\n\nred,2,1\n", {.skip_bad = true}));
}

TEST(PublicInputsTest, WhateverChangesTheEncodingChangesThePrint) {
  std::set<std::string> prints;
  std::size_t count = 0;
  const auto add = [&](const std::string& print) {
    EXPECT_TRUE(prints.insert(print).second) << count;
    ++count;
  };
  const std::string text = "a,b,y\n";
  add(Fingerprint("a.csv", text));
  add(Fingerprint("a.csv", "b,a,y\n"));             // reordered
  add(Fingerprint("a.csv", "a,c,y\n"));             // renamed
  add(Fingerprint("a.csv", "ab,y\n"));              // joined
  add(Fingerprint("a.csv", text, {.label = "b"}));  // another label
  add(Fingerprint("a.csv", text, {.labels = std::pair("n", "p")}));
  add(Fingerprint("a.csv", text, {.labels = std::pair("p", "n")}));
  add(Fingerprint("a.csv", text, {.encoding = {.hash_bits = 10}}));
  add(Fingerprint("a.csv", text, {.encoding = {.features = 3}}));
  add(Fingerprint("a.vw", ""));
  add(Fingerprint("a.libsvm", ""));
  add(Fingerprint("a.libsvm", "", {.encoding = {.features = 7}}));
}

TEST(PublicInputsTest, WhateverChangesTheSchemaChangesThePrint) {
  std::vector<Schema> schemas(8, MakeSchema());
  std::swap(schemas[1].columns[0], schemas[1].columns[1]);
  std::swap(schemas[2].columns[0].values[0], schemas[2].columns[0].values[1]);
  schemas[3].columns[1].range = std::pair(0.0, 50.5);
  schemas[4].columns[2].type = SchemaColumn::Type::kNumber;
  schemas[5].columns[2].name = "tame";
  schemas[6].label->column = "eaten";
  schemas[7].label->type = {.kind = LabelType::Kind::kNumber};
  std::set<std::string> prints;
  for (const Schema& schema : schemas) prints.insert(SchemaPrint(schema));
  EXPECT_EQ(prints.size(), schemas.size());
}

TEST(PublicInputsTest, WithASchemaTheFormatDoesNotMatter) {
  EXPECT_EQ(SchemaPrint(MakeSchema()),
            Fingerprint("a.csv", "wild,edible,other,age,color\n",
                        {.encoding = {.schema = MakeSchema()}}));
}

TEST(PublicInputsTest, FeaturesHaveTheNamesOfTheirColumnsAndValues) {
  const auto names_of = [](const std::string& name, const std::string& text,
                           Params params) {
    params.path = TestFile(name, text);
    const auto reader = ExampleReader::Open(params);
    EXPECT_TRUE(reader);
    return reader ? reader->FeatureNames() : Names{};
  };
  EXPECT_EQ(names_of("a.csv", "a,user,y,b\n", {}), (Names{"a", "b"}));
  EXPECT_EQ(names_of("a.csv", "a,y\n", {.encoding = {.features = 3}}),
            (Names{"a", "1", "2"}));
  EXPECT_EQ(names_of("a.jsonl", "", {.encoding = {.schema = MakeSchema()}}),
            (Names{"color=red", "color=green", "age", "wild"}));
  EXPECT_EQ(names_of("a.libsvm", "", {}), Names{});
  EXPECT_EQ(names_of("a.vw", "", {}), Names{});
}

}  // namespace
}  // namespace sotto
