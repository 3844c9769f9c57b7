#include "sotto/base/printable.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(PrintableTest, LettersOfAllLanguagesAndLineEndsStay) {
  EXPECT_EQ(Printable("age\nGröße 年齢 🙂"), "age\nGröße 年齢 🙂");
}

TEST(PrintableTest, WhatATerminalActsOnDoesNotReachIt) {
  EXPECT_EQ(Printable("\x1b[31mred\x07\r\t\x7f"), "?[31mred????");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "?31m");  // C1: a one-byte escape
  EXPECT_EQ(Printable("\xe2\x80\xaetxt.exe"), "?txt.exe");  // right to left
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(PrintableTest, BytesThatAreNotUtf8AreReplacedOneByOne) {
  EXPECT_EQ(Printable("\xff\xfe"), "??");
  EXPECT_EQ(Printable("a\xe2\x80"), "a??");
  EXPECT_EQ(Printable("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "????");  // past the last
}

}  // namespace
}  // namespace sotto
