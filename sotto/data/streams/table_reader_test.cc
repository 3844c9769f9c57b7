#include "sotto/data/streams/table_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Row = std::vector<std::string>;

struct Read {
  std::vector<Row> rows;
  std::string error;
};

Read ReadRows(TableReader& table) {
  Read read;
  std::span<const std::string_view> fields;
  while (true) {
    const auto more = table.Next(fields);
    if (!more) read.error = more.error().message;
    if (!more || !*more) return read;
    read.rows.emplace_back(fields.begin(), fields.end());
  }
}

TEST(TableReaderTest, GivesTheNamedFieldsOfEveryRow) {
  auto table = TableReader::Open(
      {.path = TestFile("a.csv", "a, b ,c\n1,\"x,y\",\n 2 ,,z\n")});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->columns(), (Row{"a", "b", "c"}));
  EXPECT_EQ(table->Find("b"), 1U);
  EXPECT_FALSE(table->Find("d"));
  const Read read = ReadRows(*table);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rows, (std::vector<Row>{{"1", "x,y", ""}, {"2", "", "z"}}));
  EXPECT_TRUE(table->position().ends_with(", line 3"));
}

TEST(TableReaderTest, ABlankLineAndARowOfEmptyFieldsAreAbsentRows) {
  auto table = TableReader::Open(
      {.path = TestFile("a.csv", "a,b\n\n1,2\n,\n \t\n\"\",\n\n")});
  ASSERT_TRUE(table);
  const Read read = ReadRows(*table);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rows, (std::vector<Row>{{}, {"1", "2"}, {}, {}, {}, {}}));
  EXPECT_EQ(table->absent(), 5U);
  EXPECT_EQ(table->skipped().total(), 0U);
}

TEST(TableReaderTest, ARaggedRowIsAnErrorOrARowWithoutFields) {
  const std::string path = TestFile("a.csv", "1,2\n3\n4,5\n");
  TableReader::Params params{
      .path = path, .header = false, .columns = NumberedColumns(2)};
  auto strict = TableReader::Open(params);
  ASSERT_TRUE(strict);
  EXPECT_EQ(strict->columns(), (Row{"c1", "c2"}));
  Read read = ReadRows(*strict);
  EXPECT_EQ(read.rows, (std::vector<Row>{{"1", "2"}}));
  EXPECT_EQ(read.error, path + ", line 2: 1 field: expected 2");
  EXPECT_TRUE(strict->can_go_on());
  EXPECT_EQ(ReadRows(*strict).rows, (std::vector<Row>{{"4", "5"}}));
  params.skip_bad = true;
  auto lenient = TableReader::Open(params);
  ASSERT_TRUE(lenient);
  read = ReadRows(*lenient);
  EXPECT_EQ(read.rows, (std::vector<Row>{{"1", "2"}, {}, {"4", "5"}}));
  EXPECT_EQ(lenient->skipped().Text(), "1 bad row: 1 wrong fields");
}

TEST(TableReaderTest, TheFirstRowDoesNotDecideHowManyColumnsThereAre) {
  const std::string path = TestFile("a.csv", "1,2,3\n4,5\n");
  EXPECT_FALSE(TableReader::Open({.path = path, .header = false}));
  auto table = TableReader::Open({.path = path,
                                  .header = false,
                                  .columns = NumberedColumns(2),
                                  .skip_bad = true});
  ASSERT_TRUE(table);
  EXPECT_EQ(ReadRows(*table).rows, (std::vector<Row>{{}, {"4", "5"}}));
}

TEST(TableReaderTest, AnEmptyFileHasNoHeaderUnlessThatIsFine) {
  const std::string path = TestFile("a.csv", "");
  const auto refused = TableReader::Open({.path = path});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path + ": empty: expected a header");
  auto table = TableReader::Open({.path = path, .may_be_empty = true});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->columns().empty());
  EXPECT_TRUE(ReadRows(*table).rows.empty());
}

TEST(TableReaderTest, APipeGivesItsHeaderAndAllItsRows) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const std::string text = "a,b\n1,2\n3,4\n";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  auto table =
      TableReader::Open({.path = "/dev/fd/" + std::to_string(ends[0])});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns(), (Row{"a", "b"}));
  EXPECT_EQ(ReadRows(*table).rows, (std::vector<Row>{{"1", "2"}, {"3", "4"}}));
  ::close(ends[0]);
}

}  // namespace
}  // namespace sotto
