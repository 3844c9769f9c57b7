#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// A synthetic stream as text.
struct TextStream {
  std::string header;  // or all of it
  std::uint64_t rows = 0;
  // Appends the next row and a newline.
  std::function<void(std::string& text)> append = {};
};

// One kind of synthetic stream, as `sotto generate` offers it.
struct StreamKindEntry {
  std::string name;
  std::string help;     // one line
  std::string example;  // of its options, and where the output goes
  OptionTable options;
  // Fails with kInvalidArgument.
  std::function<Result<TextStream>(const Settings& settings)> open;
};

const std::vector<StreamKindEntry>& StreamKinds();

}  // namespace sotto
