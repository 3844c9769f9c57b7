#pragma once

#include <cstdint>
#include <string>

#include "arguments.h"
#include "sotto/base/result.h"

namespace sotto::app {

Command AuditModelsCommand();

// "3/8": the third of eight parts, counted from 0.
struct AuditShard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};
Result<AuditShard> ReadShard(const std::string& text);

}  // namespace sotto::app
