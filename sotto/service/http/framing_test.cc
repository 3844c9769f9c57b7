#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sotto/service/http/http_test_client.h"
#include "sotto/service/http/http_test_server.h"
#include "sotto/service/http/request_parser.h"

namespace sotto::http {
namespace {

const std::string kHead = "POST /v1/models/m/predict HTTP/1.1\r\nHost: a\r\n";
const std::string kChunked = kHead + "Transfer-Encoding: chunked\r\n\r\n";

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Probe {
  std::string name;
  std::string bytes;
  int status;
  int answers = 1;
};

std::vector<Probe> GoodProbes() {
  const std::string good = kHead + "Content-Length: 2\r\n\r\n{}";
  return {
      {"length", good, 200},
      {"pipelined", Repeat(good, 3), 200, 3},
      {"chunks", kChunked + "2\r\n{}\r\n0\r\n\r\n", 200},
      {"chunks with an extension and a trailer",
       kChunked + "2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n", 200},
      {"no chunks", kChunked + "0\r\n\r\n", 200},
      {"no body", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"absolute target", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 200},
      {"HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", 200},
  };
}

std::vector<Probe> BadLengths() {
  const std::string chunks = "2\r\n{}\r\n0\r\n\r\n";
  const auto length = [](const std::string& value) {
    return kHead + "Content-Length: " + value + "\r\n\r\n{}";
  };
  const auto coding = [&](const std::string& value) {
    return kHead + "Transfer-Encoding: " + value + "\r\n\r\n" + chunks;
  };
  return {
      {"length and coding",
       kHead + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" +
           chunks,
       400},
      {"coding and length",
       kHead + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" +
           chunks,
       400},
      {"two lengths",
       kHead + "Content-Length: 2\r\n"
               "Content-Length: 3\r\n\r\n{} ",
       400},
      {"equal lengths",
       kHead + "Content-Length: 2\r\n"
               "Content-Length: 2\r\n\r\n{}",
       400},
      {"length +2", length("+2"), 400},
      {"length -2", length("-2"), 400},
      {"length 0x2", length("0x2"), 400},
      {"length 2, 2", length("2, 2"), 400},
      {"length 2 2", length("2 2"), 400},
      {"no length value", length(""), 400},
      {"length overflows", length("18446744073709551618"), 400},
      {"gzip, chunked", coding("gzip, chunked"), 400},
      {"chunked, identity", coding("chunked, identity"), 400},
      {"chunked, chunked", coding("chunked, chunked"), 400},
      {"xchunked", coding("xchunked"), 400},
      {"two codings",
       kHead + "Transfer-Encoding: chunked\r\n" +
           "Transfer-Encoding: identity\r\n\r\n" + chunks,
       400},
      {"chunk 0x2", kChunked + "0x2\r\n{}\r\n0\r\n\r\n", 400},
      {"chunk without digits", kChunked + "\r\n{}\r\n0\r\n\r\n", 400},
      {"chunk with a bare LF", kChunked + "2\n{}\r\n0\r\n\r\n", 400},
      {"blank behind the size", kChunked + "2 \r\n{}\r\n0\r\n\r\n", 400},
      {"folded trailer", kChunked + "0\r\nX: a\r\n b\r\n\r\n", 400},
      {"endless extension", kChunked + "2;" + std::string(3000, 'a'), 400},
      {"endless trailer", kChunked + "0\r\n" + Repeat("a: b\r\n", 1000), 400},
      {"chunk -2", kChunked + "-2\r\n{}\r\n0\r\n\r\n", 400},
      {"chunk overflows", kChunked + "10000000000000002\r\n{}\r\n0\r\n\r\n",
       400},
      {"chunk longer than its size", kChunked + "2\r\n{}}\r\n0\r\n\r\n", 400},
      {"chunked in 1.0",
       "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 400},
  };
}

std::vector<Probe> BadHeads() {
  const std::string rest = "Content-Length: 2\r\n\r\n{}";
  std::string bare = kHead + rest;
  for (std::size_t at; (at = bare.find('\r')) != std::string::npos;) {
    bare.erase(at, 1);
  }
  return {
      {"empty name", kHead + ": x\r\n" + rest, 400},
      {"blank before the colon", kHead + "Content-Length : 2\r\n\r\n{}", 400},
      {"folded line", kHead + "X: a\r\n b\r\n" + rest, 400},
      {"zero byte", kHead + "X: a" + std::string(1, '\0') + "b\r\n" + rest,
       400},
      {"bare CR", kHead + "X: a\rContent-Length: 9\r\n" + rest, 400},
      {"bare LF", bare, 400},
      {"control character",
       kHead +
           "X: a\x01"
           "b\r\n" +
           rest,
       400},
      {"many fields", kHead + Repeat("a: b\r\n", 100'000) + "\r\n", 431},
      {"21 fields", kHead + Repeat("a: b\r\n", 20) + "\r\n", 431},
      {"endless line", "GET /" + std::string(1 << 20, 'a'), 431},
      {"body of 1 MB",
       kHead + "Content-Length: 1048576\r\n\r\n" + std::string(1 << 20, ' '),
       413},
      {"chunks of 1 MB",
       kChunked + Repeat("1000\r\n" + std::string(4096, ' ') + "\r\n", 256),
       413},
      {"no host", "POST / HTTP/1.1\r\n" + rest, 400},
      {"two hosts", kHead + "Host: b\r\n" + rest, 400},
      {"host with a path", "POST / HTTP/1.1\r\nHost: a/b\r\n" + rest, 400},
      {"empty first line", "\r\n" + kHead + rest, 400},
      {"HTTP/2.0", "POST / HTTP/2.0\r\nHost: a\r\n" + rest, 400},
      {"no version", "GET /\r\n\r\n", 400},
      {"target without a slash", "GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00", 7) + "\r\n\r\n",
       400},
  };
}

// Sends the bytes and counts the responses of each status.
std::map<int, int> Ask(TestServer& server, const std::string& bytes,
                       bool& closed) {
  RawClient client(server.address());
  client.Send(bytes);
  const std::string all = client.ReadAll(std::chrono::milliseconds(150));
  closed = client.closed();
  std::map<int, int> answers;
  for (std::size_t at = 0;
       (at = all.find("HTTP/1.1 ", at)) != std::string::npos; at += 9) {
    ++answers[std::stoi(all.substr(at + 9, 3))];
  }
  return answers;
}

TEST(FramingTest, GoodRequestsAreAnswered) {
  TestServer server;
  for (const Probe& probe : GoodProbes()) {
    bool closed = false;
    EXPECT_EQ(Ask(server, probe.bytes, closed),
              (std::map<int, int>{{probe.status, probe.answers}}))
        << probe.name;
  }
}

TEST(FramingTest,
     RequestsThatTwoServersReadInTwoWaysAreRefusedAndEndTheConnection) {
  TestServer server;
  for (const auto& probes : {BadLengths(), BadHeads()}) {
    for (const Probe& probe : probes) {
      bool closed = false;
      EXPECT_EQ(Ask(server, probe.bytes, closed),
                (std::map<int, int>{{probe.status, 1}}))
          << probe.name;
      EXPECT_TRUE(closed) << probe.name;
    }
  }
}

TEST(FramingTest, WhatFollowsABadRequestIsNotReadAsOne) {
  TestServer server;
  const std::string next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto& probes : {BadLengths(), BadHeads()}) {
    for (const Probe& probe : probes) {
      if (probe.bytes.size() > 10'000) continue;
      RawClient client(server.address());
      client.Send(probe.bytes + next);
      client.ReadAll(std::chrono::milliseconds(100));
    }
  }
  for (const std::string& path : server.heads()) EXPECT_NE(path, "/smuggled");
}

// The stage, status and body after the bytes came in pieces of that size.
std::string Parse(const std::string& bytes, std::size_t piece) {
  static const Limits kLimits = QuickLimits();
  RequestParser parser(kLimits);
  std::string in;
  bool limited = false;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    in += bytes.substr(at, piece);
    for (std::size_t used = 1; used > 0;) {
      used = parser.Put(in);
      in.erase(0, used);
      if (parser.stage() == RequestParser::Stage::kBody && !limited) {
        parser.LimitBody(1000);
        limited = true;
      }
    }
  }
  return std::to_string(static_cast<int>(parser.stage())) + "/" +
         std::to_string(parser.status()) + "/" +
         std::to_string(static_cast<int>(parser.body_end())) + "/" +
         parser.TakeBody();
}

TEST(FramingTest, PiecesOfAnySizeAreReadAlike) {
  for (const auto& probes : {GoodProbes(), BadLengths(), BadHeads()}) {
    for (const Probe& probe : probes) {
      if (probe.answers != 1 || probe.bytes.size() > 10'000) continue;
      const std::string whole = Parse(probe.bytes, probe.bytes.size());
      for (const std::size_t piece : {1, 2, 3, 7, 50}) {
        EXPECT_EQ(Parse(probe.bytes, piece), whole) << probe.name << piece;
      }
    }
  }
}

TEST(FramingTest, FieldsAreFoundWithoutRegardToCase) {
  const Limits limits;
  RequestParser parser(limits);
  parser.Put(
      "POST /a/b?c=d HTTP/1.1\r\nhOST: x\r\nSotto-User:  ann \r\n"
      "twice: 1\r\nTwice: 2\r\n\r\n");
  ASSERT_EQ(parser.stage(), RequestParser::Stage::kDone);
  const Request& request = parser.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.query, "c=d");
  EXPECT_EQ(request.Find("sotto-user"), "ann");
  EXPECT_EQ(request.Find("Twice"), std::nullopt);
  EXPECT_EQ(request.Count("TWICE"), 2U);
}

}  // namespace
}  // namespace sotto::http
