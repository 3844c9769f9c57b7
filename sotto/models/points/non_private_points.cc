#include "sotto/models/points/non_private_points.h"

#include <bit>

namespace sotto {

void NonPrivatePoints::Save(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(balance_.size()));
  for (const auto& [name, balance] : balance_) {
    out.Number(name[0]);
    out.Number(name[1]);
    out.Number(std::bit_cast<std::uint64_t>(balance));
  }
}

Status NonPrivatePoints::Load(ByteReader& in) {
  constexpr std::size_t kBytes = 24;
  const auto size = in.Number<std::uint64_t>();
  if (in.failed() || size > in.RoomFor(kBytes)) {
    return Corruption("the saved points without privacy end too soon");
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto first = in.Number<std::uint64_t>();
    const auto second = in.Number<std::uint64_t>();
    balance_[{first, second}] =
        std::bit_cast<std::int64_t>(in.Number<std::uint64_t>());
  }
  return Ok();
}

}  // namespace sotto
