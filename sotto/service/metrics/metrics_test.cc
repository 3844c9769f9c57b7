#include <gtest/gtest.h>

#include "sotto/service/metrics/prometheus.h"
#include "sotto/service/metrics/request_meter.h"

namespace sotto {
namespace {

http::Request Ask(std::string_view path) {
  http::Request request;
  request.method = "POST";
  request.path = path;
  return request;
}

http::Decision Accept(int status) {
  return http::Accepted{
      .finish = [status](const http::Body&, const http::Reply& reply) {
        reply({.status = status});
      }};
}

void Finish(http::Decision decision) {
  std::get<http::Accepted>(decision).finish({}, [](const http::Response&) {});
}

TEST(RequestMeterTest, CountsStatusesAndTimesByModel) {
  RequestMeter meter([](std::string_view model) { return model == "life"; });
  Finish(meter.Watch(Ask("/v1/models/life/predict"), Accept(200)));
  Finish(meter.Watch(Ask("/v1/models/life/labels"), Accept(409)));
  meter.Watch(Ask("/v1/models/life/predict"), http::Response{.status = 429});
  const auto life = meter.Read("life");
  EXPECT_EQ(life.statuses,
            (std::map<int, std::uint64_t>{{200, 1}, {409, 1}, {429, 1}}));
  EXPECT_EQ(life.latency.count(), 2U);
}

TEST(RequestMeterTest, NamesOfCallersMakeNoEntries) {
  RequestMeter meter([](std::string_view) { return false; });
  for (const char* path : {"/v1/models/secret/predict", "/x", "/v1/models/y"}) {
    meter.Watch(Ask(path), http::Response{.status = 404});
  }
  EXPECT_EQ(meter.Read("").statuses.at(404), 3U);
  EXPECT_TRUE(meter.Read("secret").statuses.empty());
}

TEST(LatencyCountsTest, PercentilesAreUpperEndsOfBins) {
  LatencyCounts counts;
  for (int i = 0; i < 99; ++i) ++counts.bins[LatencyCounts::FindBin(0.003)];
  ++counts.bins[LatencyCounts::FindBin(0.5)];
  EXPECT_GE(counts.Percentile(0.5), 0.003);
  EXPECT_LE(counts.Percentile(0.5), 0.003 * 1.26);
  EXPECT_GE(counts.Percentile(1), 0.5);
  EXPECT_EQ(LatencyCounts().Percentile(0.5), 0);
  LatencyCounts later = counts;
  ++later.bins[LatencyCounts::FindBin(7)];
  EXPECT_EQ(later.Since(counts).count(), 1U);
  EXPECT_GE(later.Since(counts).Percentile(0.5), 7);
}

TEST(LatencyCountsTest, EveryTimeIsAtMostTheBoundOfItsBin) {
  for (double seconds = 1e-5; seconds < 500; seconds *= 1.07) {
    const std::size_t bin = LatencyCounts::FindBin(seconds);
    EXPECT_LE(seconds, LatencyCounts::Bound(bin) * (1 + 1e-9));
    if (bin > 0) {
      EXPECT_GT(seconds, LatencyCounts::Bound(bin - 1) * (1 - 1e-9));
    }
  }
}

TEST(MetricsTextTest, TextIsEscapedAndHistogramsAreCumulative) {
  MetricsText text;
  text.Begin("a_total", "counter", "Lines\nand \\.");
  text.Add({{"model", "a\"b\\c\nd"}}, 17);
  EXPECT_EQ(text.text(),
            "# HELP a_total Lines\\nand \\\\.\n# TYPE a_total counter\n"
            "a_total{model=\"a\\\"b\\\\c\\nd\"} 17\n");
  LatencyCounts counts;
  counts.bins[0] = 2;
  counts.bins[3] = 5;
  counts.bins.back() = 1;
  MetricsText histogram;
  histogram.Begin("t", "histogram", "Time.");
  histogram.AddHistogram({}, counts);
  const std::string& all = histogram.text();
  EXPECT_NE(all.find("t_bucket{le=\"0.0001\"} 2\n"), std::string::npos);
  EXPECT_NE(all.find("t_bucket{le=\"+Inf\"} 8\n"), std::string::npos);
  EXPECT_NE(all.find("t_count 8\n"), std::string::npos);
}

}  // namespace
}  // namespace sotto
