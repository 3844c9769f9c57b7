#pragma once

#include <string>
#include <string_view>

namespace sotto {

// The beginning of every page, up to and with <body>: the style sheet that the
// charts of svg_chart.h need, light and dark. Nothing from outside.
std::string PageHead(std::string_view title);

}  // namespace sotto
