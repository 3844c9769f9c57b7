#include "sotto/data/streams/jsonl_rows.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;

ReadOutcome Read(const std::string& text, const Params& params = {}) {
  return ReadAll("a.jsonl", text, params);
}

// The error of a line, without its place in the file.
std::string GetError(const std::string& line, const Params& params = {}) {
  const std::string error = Read(line, params).error;
  const std::string start = "F, line 1";
  return error.empty() ? "" : error.substr(start.size());
}

TEST(JsonlRowsTest, NumbersAreReadAsTheNearestDouble) {
  std::mt19937_64 rng(7);
  std::vector<std::string> texts = {
      "0.12345678901234567890123",  // more digits than 64 bits hold
      "0.00000000000000000000012345678901234567890",
      "123456789012345678901234567890",
      "-0",
      "1e-7",
      "-1.5E+3",
      "9007199254740993",
      "18446744073709551616"};
  for (int i = 0; i < 2000; ++i) {
    double value = 0;
    const std::uint64_t bits = rng();
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value) || std::abs(value) < 1e-300) continue;
    char text[64];
    std::snprintf(text, sizeof(text), i % 2 != 0 ? "%.25e" : "%.17g", value);
    texts.emplace_back(text);
  }
  std::string line = "{\"x\":[";
  for (const std::string& text : texts) line += text + ",";
  line.back() = ']';
  const ReadOutcome read = Read(line + "}");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.rounds[0].x.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double expected = 0;
    const std::string& text = texts[i];
    std::from_chars(text.data(), text.data() + text.size(), expected);
    EXPECT_EQ(read.rounds[0].x[i].value, expected) << text;
  }
}

TEST(JsonlRowsTest, WhatIsNotJsonIsAFault) {
  for (const char* line : {"{",
                           "}",
                           "[",
                           "]",
                           "{]",
                           "nothing",
                           "{\"x\":[1,]}",
                           "{\"x\":[,1]}",
                           "{\"x\":[1 2]}",
                           "{\"x\":[1}",
                           "{\"x\":[1]",
                           "{\"x\":[1]]",
                           "{\"x\":[1]}}",
                           "{\"x\":[1]} 2",
                           "{\"x\":[1]}{}",
                           "{\"x\" [1]}",
                           "{\"x\":[1] \"y\":1}",
                           "{\"x\":[01]}",
                           "{\"x\":[+1]}",
                           "{\"x\":[.5]}",
                           "{\"x\":[1.]}",
                           "{\"x\":[1.e3]}",
                           "{\"x\":[1e]}",
                           "{\"x\":[-]}",
                           "{\"x\":[1.5x]}",
                           "{\"x\":[tru]}",
                           "{\"x\":[true1]}",
                           "{\"x\":nul}",
                           "{\"x\":1,\"y\":tru}",
                           "{\"x\":[\"a]}",
                           "{\"x\":[\"\\q\"]}",
                           "{\"x\":[\"\x01\"]}",
                           "{\"x\":[\"\xff\"]}",
                           "{x:1}",
                           "{'x':1}",
                           "{\"x\":1,}",
                           "{,\"x\":1}",
                           "{\"x\":1,\"more\":[1,{\"a\":nope}]}",
                           "{\"x\":1,\"more\":[1,{\"a\":1}}",
                           "{\"x\":1,\"more\":[1,{\"a\"}]}"}) {
    EXPECT_NE(GetError(line), "") << line;
  }
}

TEST(JsonlRowsTest, AnErrorSaysWhereAndWhat) {
  EXPECT_EQ(GetError("{\"x\":[1,2}"), ", character 10: '}': expected JSON");
  EXPECT_EQ(GetError("{\"x\":1}{}"), ", character 8: '{}': expected JSON");
  EXPECT_EQ(GetError("[1]"), ": a list: expected an object");
  EXPECT_EQ(GetError("7"), ": a number: expected an object");
  EXPECT_EQ(GetError("{\"x\":\"\xff\"}"),
            ": text that is not UTF-8: expected JSON");
  EXPECT_EQ(GetError("{\"x\":\"a}"),
            ": a string without an end: expected JSON");
  EXPECT_EQ(GetError("{\"x\":[1,-Infinity]}"),
            ", \"x\", element 2: '-Infinity': expected a finite number");
  EXPECT_EQ(GetError("{\"x\":{\"a\":1e999}}"),
            ", \"x\", column 'a': '1e999': expected a finite number");
  EXPECT_EQ(GetError("{\"x\":1,\"user\":7}"),
            ", \"user\": a number: expected a string");
  EXPECT_EQ(GetError("{\"x\":[null]}"),
            ", \"x\", element 1: null: expected a value");
}

TEST(JsonlRowsTest, AKeyThatComesTwiceIsAFault) {
  for (const char* line :
       {"{\"x\":1,\"x\":2}", "{\"x\":1,\"y\":0,\"y\":1}",
        "{\"user\":\"a\",\"x\":1,\"user\":\"b\"}", "{\"x\":1,\"\\u0078\":2}",
        "{\"x\":1,\"z\":2,\"z\":2}", "{\"x\":{\"a\":1,\"b\":2,\"a\":1}}",
        "{\"x\":{\"a\":1,\"a\":\"red\"}}"}) {
    EXPECT_NE(GetError(line), "") << line;
  }
  EXPECT_EQ(GetError("{\"x\":1,\"z\":1,\"z\":2}"),
            ": the key 'z' twice: expected each key once");
  const Schema schema{{{"a", SchemaColumn::Type::kNumber, {}, std::nullopt}},
                      std::nullopt};
  const Params params{.encoding = {.schema = schema}};
  EXPECT_EQ(GetError("{\"x\":{\"a\":1}}", params), "");
  EXPECT_NE(GetError("{\"x\":{\"a\":1,\"a\":1}}", params), "");
  EXPECT_NE(GetError("{\"x\":{\"a\":1,\"b\":1,\"b\":1}}", params), "");
}

TEST(JsonlRowsTest, ManyNamesAreToldApart) {
  std::string names;
  for (int i = 0; i < 3000; ++i) {
    names += "\"n" + std::to_string(i) + "\":1,";
  }
  EXPECT_EQ(GetError("{\"x\":{" + names + "\"last\":1}}"), "");
  EXPECT_EQ(GetError("{\"x\":{" + names + "\"n17\":1}}"),
            ", \"x\", column 'n17': a second value: expected one");
}

TEST(JsonlRowsTest, OtherKeysAreIgnoredAsLongAsTheyAreJson) {
  const ReadOutcome read = Read(
      R"({"a":{"x":[1],"y":[]},"x":[1],"b":[[],{},null,"\u00e9",-1e3],"c":true})");
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rounds, std::vector<Round>{Present({{0, 1}}, std::nullopt)});
  const auto nested = [](int depth) {
    const auto size = static_cast<std::size_t>(depth);
    return "{\"x\":1,\"z\":" + std::string(size, '[') + std::string(size, ']') +
           "}";
  };
  EXPECT_EQ(GetError(nested(60)), "");
  EXPECT_NE(GetError(nested(70)), "");
  EXPECT_NE(GetError(nested(200'000)), "");
}

TEST(JsonlRowsTest, NamesAndTextsMayBeEscaped) {
  const ReadOutcome plain = Read(R"({"x":{"é":1,"b":"ü"},"user":"a\"b"})");
  const ReadOutcome escaped =
      Read(R"({"\u0078":{"\u00e9":1,"b":"\u00fc"},"user":"a\u0022b"})");
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.rounds, escaped.rounds);
  EXPECT_EQ(plain.rounds[0].user, "a\"b");
}

TEST(JsonlRowsTest, NullMeansThatThereIsNone) {
  EXPECT_EQ(
      Read("{\"x\":null,\"user\":\"ann\",\"y\":null}\n"
           "{\"x\":1,\"user\":null}\n")
          .rounds,
      (std::vector<Round>{Absent("ann"), Present({{0, 1}}, std::nullopt)}));
}

TEST(JsonlRowsTest, AShortLineIsReadTheSameBehindALongOne) {
  const std::string line = "{\"x\":[1,2,3],\"user\":\"ann\"}";
  const ReadOutcome read =
      Read("{\"x\":[" + std::string(5000, '1') + "]}\n{\"x\":1\n" + line +
               "\n{\"x\":[1,2" + std::string(200, ' ') + "\n" + line + "\n",
           {.skip_bad = true});
  const Round good = Present({{0, 1}, {1, 2}, {2, 3}}, std::nullopt, "ann");
  EXPECT_EQ(read.rounds, (std::vector<Round>{Unusable(), Unusable(), good,
                                             Unusable(), good}));
}

std::string Damaged(std::string line, std::mt19937& rng) {
  constexpr std::string_view kPieces("{}[]\",:\\u01.-eE tfn\x00\xc3", 22);
  for (auto changes = rng() % 3; changes < 3; ++changes) {
    const std::size_t place = rng() % line.size();
    const char piece = kPieces[rng() % kPieces.size()];
    const auto kind = rng() % 3;
    if (kind == 0) line[place] = piece;
    if (kind == 1) line.insert(place, 1, piece);
    if (kind == 2) line.erase(place, 1 + rng() % 4);
  }
  return line;
}

// Nothing may crash, hang or reach beyond the line, and another parser agrees.
TEST(JsonlRowsTest, WhatIsNoJsonToAnotherParserIsNoRow) {
  std::mt19937 rng(3);
  std::vector<std::string> lines;
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    lines.push_back(Damaged(
        i % 2 != 0
            ? R"({"x":{"a":1,"b":-1.5e3,"c":"é\n"},"y":true,"user":"ann"})"
            : R"({"m":[{"k":[0.5,null]}],"x":[1,-2.5,true,"red"],"y":"0"})",
        rng));
    text += lines.back() + "\n";
  }
  const ReadOutcome read = Read(text, {.skip_bad = true});
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), lines.size());
  std::size_t present = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    present += read.rounds[i].present() ? 1 : 0;
    if (Json::Parse(lines[i])) continue;
    EXPECT_EQ(read.rounds[i].presence, Presence::kUnusable) << lines[i];
  }
  EXPECT_GT(present, 100U);
}

}  // namespace
}  // namespace sotto
