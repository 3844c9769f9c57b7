#include "sotto/report/html_page.h"

#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

constexpr const char* kBefore = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>)";

constexpr const char* kAfter = R"(</title>
<style>
:root{--bg:#fbfaf7;--card:#fff;--ink:#1f2328;--dim:#6a737d;--line:#dfe2e5;--c1:#b5402a;--c2:#2a6db5;--c3:#3c8c4e;--c4:#8a63b8;--c5:#8a6d3b;--band:#f1efe8;--odd:#e7e4da;--warn:#8a5a00;--warnbg:#fff4d6}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--card:#1d2126;--ink:#e4e7ea;--dim:#98a1ab;--line:#343a41;--c1:#f0806a;--c2:#6cb0f5;--c3:#74c98a;--c4:#c3a2ec;--c5:#d1b27c;--band:#23282e;--odd:#2b3138;--warn:#f2c864;--warnbg:#3a2f14}}
body{background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,sans-serif;max-width:920px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:26px;margin:8px 0}h2{font-size:19px;margin:32px 0 8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:12px 0;overflow-x:auto}
.facts{display:flex;flex-wrap:wrap;gap:12px}.facts div{flex:1 1 130px;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.facts b{display:block;font-size:22px}.facts span{color:var(--dim);font-size:13px}
.note{color:var(--warn);background:var(--warnbg);border-radius:6px;padding:6px 12px;font-size:14px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;font-size:14px}
code{font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.sign{margin-top:32px}
.card th{width:11em;font-weight:600}
@media print{body{max-width:none;padding:0}.page{break-after:page}h2{margin:16px 0 4px}.note{border:1px solid}}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--dim)}
svg .title{font-size:15px;font-weight:600;fill:var(--ink)}svg .legend{fill:var(--ink)}
svg .xtick,svg .xlabel,svg .ylabel,svg .bandname{text-anchor:middle}svg .ytick{text-anchor:end}
.grid{stroke:var(--line);stroke-width:1}.tick,.axis{stroke:var(--dim);stroke-width:1}
.band{fill:var(--band)}.band.odd{fill:var(--odd)}.curve{fill:none;stroke-width:2.2}
.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3);stroke-dasharray:6 4}.c4{stroke:var(--c4);stroke-dasharray:2 4}.c5{stroke:var(--c5);stroke-dasharray:1 3}.cell{fill:var(--c2)}
</style></head><body>
)";

}  // namespace

std::string PageHead(std::string_view title) {
  return kBefore + Escaped(title) + kAfter;
}

}  // namespace sotto
