#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::http {

// Compares ASCII text without regard to case, as field names are compared.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

struct Field {
  std::string_view name;
  std::string_view value;
};

// The head of a request. Its texts are views of bytes that its parser keeps.
struct Request {
  std::string_view method;
  std::string_view path;   // up to the question mark, not decoded
  std::string_view query;  // behind it
  std::vector<Field> fields;
  std::optional<std::uint64_t> length;  // absent without a body, and in chunks
  bool chunked = false;
  bool keep_alive = true;

  bool has_body() const { return chunked || length.value_or(0) > 0; }
  // Number of fields of that name.
  std::size_t Count(std::string_view name) const;
  // The value of the only field of that name. Absent if there is none, or more
  // than one.
  std::optional<std::string_view> Find(std::string_view name) const;
};

// Sends the body of a response piece by piece, until the connection or the
// server ends. From any thread; later pieces are dropped. A client that is too
// slow loses its connection.
struct BodyWriter {
  std::function<void(std::string piece)> write;
  std::function<bool()> open;  // false once the connection has ended
};

// A response. The server adds Content-Length and Connection; it sends no Date,
// since users see no clock.
struct Response {
  int status = 200;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
  bool close = false;  // the connection, after this response
  // Called on the server's thread once the head is out: the body comes piece by
  // piece, in chunks, and `body` is not used. Null: `body` is all.
  std::function<void(BodyWriter)> stream = nullptr;
};

// The response as it is sent. `head_only`: without its body, for HEAD.
std::string Serialize(const Response& response, bool head_only);
// A piece of a body as one chunk; the empty piece ends the body.
std::string MakeChunk(std::string_view piece);

// The standard phrase of a status, as "Not Found".
std::string_view ReasonPhrase(int status);

// A problem document (RFC 9457) that says its status only.
Response Problem(int status);

}  // namespace sotto::http
