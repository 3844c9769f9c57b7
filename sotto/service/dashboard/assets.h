#pragma once

#include <span>
#include <string_view>

namespace sotto {

// A file of the dashboard, held in the program.
struct Asset {
  std::string_view path;  // "/dashboard/main.js"
  std::string_view type;
  std::string_view content;
};

// All files of the page; the first is the page itself, at "/".
std::span<const Asset> DashboardAssets();

}  // namespace sotto
