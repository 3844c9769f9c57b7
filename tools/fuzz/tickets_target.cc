// Tickets, records and kept replies from any bytes: nothing is forged, and what
// can be read is written again as the same bytes.
//
//   tools/fuzz.sh tickets

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/durable/record.h"
#include "sotto/random/key.h"
#include "sotto/service/repeat_table.h"
#include "sotto/service/ticket_seal.h"

namespace {

const sotto::TicketSeal& Seal() {
  static const sotto::TicketSeal kSeal(
      sotto::Key::FromBytes(std::array<std::byte, sotto::Key::kBytes>{}));
  return kSeal;
}

// The one ticket that was given out.
const std::string& Given() {
  static const std::string kGiven =
      Seal().Write("00112233445566778899aabbccddeeff", 41);
  return kGiven;
}

void CheckTicket(std::string_view text) {
  const auto shown = Seal().Read(text);
  if (!shown) return;
  const std::string again = sotto::WriteHex16(shown->ticket);
  if (text.substr(0, again.size()) != again) std::abort();
  if (shown->number && text != Given()) std::abort();
  if (text == Given() && shown->number != 41) std::abort();
}

void CheckRecords(std::string_view bytes) {
  const sotto::LabelType two;
  if (const auto label = sotto::DecodeLabel(bytes, two)) {
    if (sotto::EncodeLabel(*label).payload != bytes) std::abort();
  }
  if (auto round = sotto::DecodeRound(bytes, two)) {
    const std::string once = sotto::EncodeRound(*round).payload;
    const auto again = sotto::DecodeRound(once, two);
    if (!again || sotto::EncodeRound(*again).payload != once) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckTicket(bytes);
  // The given ticket with one character changed.
  if (size >= 2) {
    std::string changed = Given();
    changed[data[0] % changed.size()] = static_cast<char>(data[1]);
    CheckTicket(changed);
  }
  CheckRecords(bytes);
  sotto::RepeatTable repeats(10);
  sotto::ByteReader reader(bytes);
  if (repeats.Load(reader)) {
    sotto::ByteWriter writer;
    repeats.Save(writer);
    if (!bytes.starts_with(writer.bytes())) std::abort();
  }
  return 0;
}
