#pragma once

#include <span>
#include <string>

#include "sotto/base/result.h"

namespace sotto {

// A file as a command names it.
struct NamedFile {
  std::string flag;  // "--report"
  std::string path;  // empty: not given; "-": standard input or output
  // A state may be saved where it was loaded from.
  bool state = false;
};

// Fails with kInvalidArgument, naming both flags, if an output is one of the
// inputs or another output, under whatever name: it would be replaced, or
// written twice. To be asked before anything starts. Pipes and devices may be
// named as often as one likes.
Status CheckDistinct(std::span<const NamedFile> inputs,
                     std::span<const NamedFile> outputs);

}  // namespace sotto
