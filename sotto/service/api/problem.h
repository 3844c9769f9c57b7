#pragma once

#include <string_view>

#include "sotto/base/result.h"
#include "sotto/service/host_request.h"
#include "sotto/service/http/message.h"

namespace sotto::api {

// A problem document (RFC 9457). `kind` becomes the last part of its type.
http::Response MakeProblem(int status, std::string_view kind,
                           std::string_view detail);

// Fixed documents, the same for every caller.
http::Response NotFound();
http::Response NotAllowed(std::string_view allow);
http::Response NotReady();  // no round took place

// The response to a prediction, a label or a step of a counter. Texts of rows
// and tickets are never in it; what was wrong with a caller's own row is.
http::Response ToResponse(HostReply reply);
// The same as a line of a bulk response, without its newline.
std::string ToLine(HostReply reply);

// The response to an operator whose call failed.
http::Response ToResponse(const Error& error);

// Appends blanks to the body until the whole response has `wire` bytes, so that
// its length shows neither prediction nor refusal.
void PadResponse(http::Response& response, std::size_t wire);

}  // namespace sotto::api
