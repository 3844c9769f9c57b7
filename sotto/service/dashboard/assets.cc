#include "sotto/service/dashboard/assets.h"

#include <array>

// The bytes of a file between two labels.
#define SOTTO_ASSET(label, file)                                \
  __asm__(                                                      \
      ".pushsection .rodata\n"                                  \
      ".global sotto_asset_" #label "\nsotto_asset_" #label     \
      ":\n.incbin \"" SOTTO_PAGE "/" file                       \
      "\"\n"                                                    \
      ".global sotto_asset_" #label "_end\nsotto_asset_" #label \
      "_end:\n"                                                 \
      ".byte 0\n.popsection\n");                                \
  extern "C" const char sotto_asset_##label[];                  \
  extern "C" const char sotto_asset_##label##_end[]

SOTTO_ASSET(index, "index.html");
SOTTO_ASSET(style, "style.css");
SOTTO_ASSET(icon, "icon.svg");
SOTTO_ASSET(main, "main.js");
SOTTO_ASSET(cards, "cards.js");
SOTTO_ASSET(dom, "dom.js");
SOTTO_ASSET(feed, "feed.js");
SOTTO_ASSET(officer, "officer.js");
SOTTO_ASSET(panels, "panels.js");
SOTTO_ASSET(plots, "plots.js");
SOTTO_ASSET(text, "text.js");
#undef SOTTO_ASSET

namespace sotto {
namespace {

constexpr std::string_view kScript = "text/javascript; charset=utf-8";

std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

#define SOTTO_CONTENT(label) \
  Between(sotto_asset_##label, sotto_asset_##label##_end)

std::span<const Asset> DashboardAssets() {
  static const std::array<Asset, 11> kAssets = {{
      {"/", "text/html; charset=utf-8", SOTTO_CONTENT(index)},
      {"/dashboard/style.css", "text/css; charset=utf-8", SOTTO_CONTENT(style)},
      {"/dashboard/icon.svg", "image/svg+xml", SOTTO_CONTENT(icon)},
      {"/dashboard/main.js", kScript, SOTTO_CONTENT(main)},
      {"/dashboard/cards.js", kScript, SOTTO_CONTENT(cards)},
      {"/dashboard/dom.js", kScript, SOTTO_CONTENT(dom)},
      {"/dashboard/feed.js", kScript, SOTTO_CONTENT(feed)},
      {"/dashboard/officer.js", kScript, SOTTO_CONTENT(officer)},
      {"/dashboard/panels.js", kScript, SOTTO_CONTENT(panels)},
      {"/dashboard/plots.js", kScript, SOTTO_CONTENT(plots)},
      {"/dashboard/text.js", kScript, SOTTO_CONTENT(text)},
  }};
  return kAssets;
}
#undef SOTTO_CONTENT

}  // namespace sotto
