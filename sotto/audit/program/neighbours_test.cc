#include "sotto/audit/program/neighbours.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace sotto {
namespace {

std::map<std::string, NeighbourStream> Changes(const std::string& text,
                                               const std::string& format,
                                               std::size_t row) {
  const auto stream = ProgramStream::Read(text, format, row);
  EXPECT_TRUE(stream);
  std::map<std::string, NeighbourStream> changes;
  for (NeighbourStream& made : MakeNeighbours(*stream)) {
    changes.emplace(made.change, std::move(made));
  }
  return changes;
}

TEST(NeighboursTest, ATextIsReadAndWrittenAgain) {
  const std::string text = "x,y\n1,0\n2,1\n";
  EXPECT_EQ(ProgramStream::Read(text, "csv", 1)->Text(), text);
  EXPECT_FALSE(ProgramStream::Read(text, "csv", 2));
}

TEST(NeighboursTest, OneRowDiffersAndTheNumberOfRowsDoesNot) {
  const std::string text = "x,y\n1,0\n2,1\n3,1\n";
  const auto stream = *ProgramStream::Read(text, "csv", 1);
  const auto changes = Changes(text, "csv", 1);
  EXPECT_EQ(changes.size(), 8u);
  for (const auto& [change, made] : changes) {
    ASSERT_EQ(made.stream.rows.size(), 3u);
    EXPECT_NE(made.stream.rows[1], stream.rows[1]) << change;
    EXPECT_EQ(made.stream.rows[0], stream.rows[0]);
    EXPECT_EQ(made.stream.rows[2], stream.rows[2]);
    EXPECT_EQ(made.own, std::vector<std::size_t>{1});
  }
  EXPECT_EQ(changes.at("absent").stream.rows[1], ",");
  EXPECT_EQ(changes.at("without its label").stream.rows[1], "2,");
  EXPECT_EQ(changes.at("blank").stream.rows[1], "");
}

TEST(NeighboursTest, AUserKeepsItsNameAndOwnsAllItsRows) {
  const auto changes =
      Changes("x,user,y\n1,a,0\n2,b,1\n3,a,1\n4,c,0\n", "csv", 0);
  EXPECT_EQ(changes.at("absent").stream.rows[0], ",a,");
  EXPECT_EQ(changes.at("unusable: an unknown label").stream.rows[0],
            "1,a,no-such-label");
  EXPECT_FALSE(changes.contains("blank"));
  EXPECT_EQ(changes.at("replaced by another row").stream.rows[0], "4,a,0");
  EXPECT_EQ(changes.at("absent").own, (std::vector<std::size_t>{0, 2}));
  EXPECT_FALSE(changes.contains("its user's name on another row"));
  EXPECT_EQ(Changes("x,user,y\n1,a,0\n2,b,1\n", "csv", 0)
                .at("its user's name on another row")
                .users,
            2);
}

TEST(NeighboursTest, AJsonRowLosesItsLabelAlone) {
  EXPECT_EQ(Changes("{\"x\":[1],\"y\":1}\n{\"x\":[2],\"y\":0}\n", "jsonl", 0)
                .at("without its label")
                .stream.rows[0],
            "{\"x\":[1]}");
  EXPECT_EQ(Changes("{\"y\":1,\"x\":[1]}\n{\"x\":[2],\"y\":0}\n", "jsonl", 0)
                .at("without its label")
                .stream.rows[0],
            "{\"x\":[1]}");
}

TEST(NeighboursTest, AVwRowKeepsItsTag) {
  const auto changes = Changes("1 'a| 0:1\n-1 'b| 0:2\n", "vw", 0);
  EXPECT_EQ(changes.at("absent").stream.rows[0], "'a");
  EXPECT_EQ(changes.at("without its label").stream.rows[0], " 'a| 0:1");
  EXPECT_EQ(changes.at("replaced by another row").stream.rows[0], "-1 'a| 0:2");
  EXPECT_EQ(changes.at("unusable: not of the format").stream.rows[0],
            "1 3 'a| 0:1");
  EXPECT_TRUE(changes.contains("its user's name on another row"));
}

TEST(NeighboursTest, LiveALabelMayComeLaterOrNever) {
  const auto changes = Changes(
      "{\"x\":[1],\"y\":1}\n{\"x\":[2],\"y\":0}\n{\"x\":[3]}\n", "live", 0);
  EXPECT_EQ(changes.at("its label last of all").stream.LabelAfter(0), 2u);
  EXPECT_EQ(changes.at("its label never").stream.LabelAfter(0), std::nullopt);
  EXPECT_EQ(changes.at("its label never").stream.LabelAfter(1), 1u);
  // The question alone can be used.
  EXPECT_FALSE(changes.at("unusable: an unknown label").empty);
  EXPECT_TRUE(changes.at("unusable: not of the format").empty);
}

}  // namespace
}  // namespace sotto
