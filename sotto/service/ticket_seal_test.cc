#include "sotto/service/ticket_seal.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

namespace sotto {
namespace {

constexpr std::string_view kTicket = "00112233445566778899aabbccddeeff";

TicketSeal MakeSeal(unsigned char byte) {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{byte};
  return TicketSeal(Key::FromBytes(bytes));
}

TEST(TicketSealTest, ReadsWhatItWrote) {
  const TicketSeal seal = MakeSeal(1);
  for (const std::uint64_t number : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const std::string shown = seal.Write(kTicket, number);
    const auto read = seal.Read(shown);
    ASSERT_TRUE(read);
    EXPECT_EQ(WriteHex16(read->ticket), kTicket);
    EXPECT_EQ(read->number, number);
    EXPECT_FALSE(MakeSeal(2).Read(shown)->number);
  }
}

// A number that is yet to come retires the model: no user may make one up.
TEST(TicketSealTest, NoDigitCanBeChanged) {
  const TicketSeal seal = MakeSeal(1);
  const std::string shown = seal.Write(kTicket, 41);
  ASSERT_EQ(shown.size(), TicketSeal::kDigits);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (const char digit : std::string("0123456789abcdef")) {
      std::string changed = shown;
      changed[i] = digit;
      const auto read = seal.Read(changed);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->number.has_value(), changed == shown) << changed;
    }
  }
}

}  // namespace
}  // namespace sotto
