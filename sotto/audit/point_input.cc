#include "sotto/audit/point_input.h"

#include <limits>

#include "sotto/audit/exec/input_fields.h"

namespace sotto {

Status ReadInput(const Json& json, PointInput& input) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  InputFields fields(json);
  input.point = static_cast<std::int32_t>(fields.GetInt("point", 0, kMost));
  input.label = fields.Label("y");
  input.delay = static_cast<std::uint32_t>(fields.GetInt("delay", 0, kMost));
  input.absent = fields.Flag("absent");
  return fields.Done();
}

}  // namespace sotto
