#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"
#include "sotto/data/streams/table_reader.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;

Params Quiet(Params params) {
  params.quiet_faults = true;
  return params;
}

// Whatever is wrong, a quiet message is the same for all rows that fail in the
// same place: it has nothing of the row.
TEST(QuietFaultsTest, AQuietMessageSaysWhereAndWhatWasExpectedAndNothingElse) {
  const Schema schema{
      {{"a", SchemaColumn::Type::kCategory, {"u", "v"}, std::nullopt},
       {"b", SchemaColumn::Type::kNumber, {}, std::pair(0.0, 1.5)}},
      std::nullopt};
  const Params with_schema{.encoding = {.schema = schema}};
  const Params numbers{.encoding = {.hash_bits = 0, .features = 10}};
  const Params points{.encoding = {.hash_bits = 0}, .limits = {.points = 4}};
  const struct {
    const char* name;
    const char* text;
    const char* error;
    Params params = {};
  } cases[] = {
      {"a.csv",
       "x,y\nsecret,1\n",
       "F, line 2, column 'x': expected a number (strings need a schema or "
       "hash bits)",
       {.encoding = {.hash_bits = 0}}},
      {"a.csv", "x,y\n1,secret\n",
       "F, line 2, column 'y': expected 0 or 1, -1 or +1, true or false"},
      {"a.csv", "x,y\nsecret\n", "F, line 2: expected 2 fields"},
      {"a.csv", "x,y\n\"secret,1\n",
       "F, line 2, column 'x': expected quotes that are closed on their line"},
      {"a.csv", "x,y\n7,1\n",
       "F, line 2, column 'x': expected a point of the class: a whole number "
       "from 0 to 3",
       points},
      {"a.csv", "a,b,y\nsecret,1,0\n",
       "F, line 2, column 'a': expected one of u, v", with_schema},
      {"a.csv", "a,b,y\nu,seven,0\n",
       "F, line 2, column 'b': expected a finite number", with_schema},
      {"a.libsvm", "1 1:1 77:1\n", "F, line 1: expected indices of at most 10",
       numbers},
      {"a.libsvm", "1 1:1 1:1\n", "F, line 1: expected each index once"},
      {"a.libsvm", "1 1:secret\n",
       "F, line 1: expected index:value, a finite number"},
      {"a.vw", "1 | secret:x\n", "F, line 1: expected a finite number"},
      {"a.vw", "1 'secret me| a\n", "F, line 1: expected '|' after it"},
      {"a.vw", "1 | secret\n",
       "F, line 1: expected an index (names need hash bits)", numbers},
      {"a.jsonl", "{\"x\":{\"secret\":[1]}}\n",
       "F, line 1, \"x\": expected one value"},
      {"a.jsonl", "{\"x\":{\"a\":\"secret\"}}\n",
       "F, line 1, \"x\", column 'a': expected one of u, v", with_schema},
      {"a.jsonl", "{\"x\":[1,2,secret]}\n", "F, line 1, \"x\": expected JSON"},
      {"a.jsonl", "{\"secret\"}\n", "F, line 1: expected JSON"},
      {"a.jsonl", "{\"secret\":1,\"secret\":1}\n",
       "F, line 1: expected each key once"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ReadAll(c.name, c.text, Quiet(c.params)).error, c.error)
        << c.text;
  }
}

TEST(QuietFaultsTest, ATableIsQuietAsWell) {
  const std::string path = TestFile("a.csv", "x,y\nsecret\n");
  auto table = TableReader::Open({.path = path, .quiet_faults = true});
  ASSERT_TRUE(table);
  std::span<const std::string_view> fields;
  const auto bad = table->Next(fields);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, path + ", line 2: expected 2 fields");
}

}  // namespace
}  // namespace sotto
