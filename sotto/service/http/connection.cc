#include "sotto/service/http/connection.h"

#include <utility>
#include <variant>

namespace sotto::http {
namespace {

constexpr std::size_t kMostLingered = 1 << 16;
constexpr std::size_t kMostUnsent = std::size_t{4} << 20;
constexpr std::chrono::hours kNoDeadline{24 * 365};

// An accepted request whose body is dropped.
Accepted Drop(Response response, std::size_t limit) {
  return {.body_limit = limit,
          .finish = [response = std::move(response)](
                        const Body&, const Reply& reply) { reply(response); }};
}

Reply NoReply() {
  return [](const Response&) {};
}

}  // namespace

Connection::Connection(ConnectionOwner& owner, const Handler& handler,
                       std::unique_ptr<Transport> transport,
                       std::chrono::milliseconds reply_grid)
    : owner_(owner),
      handler_(handler),
      transport_(std::move(transport)),
      reply_grid_(reply_grid) {}

void Connection::Start() {
  Enter(Phase::kStarting, owner_.limits().request);
  transport_->Start(shared_from_this());
}

void Connection::Enter(Phase phase, std::chrono::milliseconds allowed) {
  phase_ = phase;
  deadline_ = owner_.now() + allowed;
}

void Connection::OnStarted() {
  if (phase_ != Phase::kStarting) return;
  // A client that connects has something to say: no idle time yet.
  Enter(Phase::kIdle, owner_.limits().request);
  Advance();
}

void Connection::OnBytes(std::string_view bytes) {
  reading_ = false;
  if (phase_ == Phase::kLingering || phase_ == Phase::kStreaming) {
    lingered_ += bytes.size();
    return lingered_ > kMostLingered ? Close() : Read();
  }
  if (phase_ == Phase::kClosed) return;
  in_.append(bytes);
  Advance();
}

void Connection::OnWritten() {
  if (phase_ == Phase::kStreaming) {
    unsent_ = 0;
    return Enter(Phase::kStreaming, kNoDeadline);
  }
  if (phase_ != Phase::kWriting) return;  // of "100 Continue"
  if (close_) {
    Enter(Phase::kLingering, owner_.limits().linger);
    transport_->EndWriting(shared_from_this());
    return Read();
  }
  Enter(Phase::kIdle, owner_.limits().idle);
  if (in_.empty()) {
    in_ = std::string();  // idle connections hold no memory
    owner_.OnIdle(*this);
  }
  Advance();
}

void Connection::OnEnd() {
  reading_ = false;
  Close();
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  const auto self = shared_from_this();
  if (phase_ == Phase::kBody) FinishBody(BodyEnd::kCut);
  phase_ = Phase::kClosed;
  if (streaming_) *streaming_ = false;
  transport_->Close();
  parser_.reset();
  in_.clear();
  Account();
  owner_.OnClosed(*this);
}

void Connection::CheckDeadline(Clock::time_point now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::kHead:
      Refuse(408);
      break;
    case Phase::kBody:
      FinishBody(BodyEnd::kLate);
      break;
    case Phase::kWorking:
      // The outcome is unknown to the client, unlike with 503.
      close_ = true;
      Send(Problem(504));
      break;
    default:
      Close();
  }
}

void Connection::Advance() {
  if (advancing_) return;  // the loop below is under way
  advancing_ = true;
  while (Step()) {
  }
  advancing_ = false;
}

bool Connection::Step() {
  switch (phase_) {
    case Phase::kIdle:
      return BeginRequest();
    case Phase::kHead:
      return ReadHead();
    case Phase::kBody:
      return ReadBody();
    default:
      return false;
  }
}

void Connection::Read() {
  if (reading_ || phase_ == Phase::kClosed) return;
  reading_ = true;
  transport_->Read(shared_from_this());
}

bool Connection::BeginRequest() {
  if (in_.empty()) {
    Read();
    return false;
  }
  ++serial_;
  close_ = false;
  parser_.emplace(owner_.limits());
  Enter(Phase::kHead, owner_.limits().request);
  owner_.OnRequest(*this);
  return true;
}

void Connection::Consume() {
  in_.erase(0, parser_->Put(in_));
  Account();
}

void Connection::Account() {
  const std::size_t held =
      in_.size() + (parser_ ? parser_->body_size() : std::size_t{0});
  owner_.buffered() += held;
  owner_.buffered() -= charged_;
  charged_ = held;
}

bool Connection::ReadHead() {
  Consume();
  if (parser_->stage() == RequestParser::Stage::kHead) {
    Read();
    return false;
  }
  const bool good = parser_->stage() != RequestParser::Stage::kBadHead;
  owner_.OnHead(good);
  return good ? Decide() : Refuse(parser_->status());
}

Accepted Connection::Ask(const Request& request) {
  const std::size_t limit = owner_.limits().body;
  if (request.has_body() && owner_.buffered() > owner_.limits().buffered) {
    close_ = true;
    return Drop(Problem(503), 0);
  }
  Decision decision = handler_(request);
  if (auto* response = std::get_if<Response>(&decision)) {
    // The client waits for a word before it sends the body: this is it.
    if (parser_->wants_continue()) close_ = true;
    return Drop(std::move(*response), close_ ? 0 : limit);
  }
  return std::get<Accepted>(std::move(decision));
}

bool Connection::Decide() {
  const Request& request = parser_->request();
  head_only_ = request.method == "HEAD";
  accepted_ = Ask(request);
  if (!request.keep_alive) close_ = true;
  phase_ = Phase::kBody;  // under the same deadline
  parser_->LimitBody(accepted_->body_limit);
  if (parser_->stage() == RequestParser::Stage::kBody && in_.empty() &&
      parser_->wants_continue()) {
    transport_->Write("HTTP/1.1 100 Continue\r\n\r\n", shared_from_this());
  }
  return true;
}

bool Connection::ReadBody() {
  if (parser_->stage() == RequestParser::Stage::kBody) Consume();
  switch (parser_->stage()) {
    case RequestParser::Stage::kDone:
      return FinishBody(BodyEnd::kWhole);
    case RequestParser::Stage::kBadBody:
      return FinishBody(parser_->body_end());
    default:
      Read();
      return false;
  }
}

bool Connection::FinishBody(BodyEnd end) {
  // After a body that ended badly no further request can be found.
  if (end != BodyEnd::kWhole) close_ = true;
  Enter(Phase::kWorking, owner_.limits().work);
  Body body{.text = parser_->TakeBody(), .end = end};
  const Accepted accepted = *std::exchange(accepted_, std::nullopt);
  parser_.reset();
  Account();
  accepted.finish(std::move(body),
                  end == BodyEnd::kCut ? NoReply() : MakeReply());
  return true;
}

Reply Connection::MakeReply() {
  return [executor = owner_.Executor(), self = weak_from_this(),
          serial = serial_](Response response) {
    executor([self, serial, response = std::move(response)]() mutable {
      if (const auto connection = self.lock()) {
        connection->TakeReply(serial, std::move(response));
      }
    });
  };
}

void Connection::TakeReply(std::uint64_t serial, Response response) {
  if (reply_grid_.count() == 0) return SendReply(serial, std::move(response));
  owner_.CallOnGrid(reply_grid_, [self = weak_from_this(), serial,
                                  response = std::move(response)]() mutable {
    if (const auto connection = self.lock()) {
      connection->SendReply(serial, std::move(response));
    }
  });
}

void Connection::SendReply(std::uint64_t serial, Response response) {
  if (phase_ != Phase::kWorking || serial != serial_) return;  // too late
  Send(std::move(response));
}

bool Connection::Refuse(int status) {
  close_ = true;
  head_only_ = false;
  Send(Problem(status));
  return true;
}

void Connection::Send(Response response) {
  close_ = close_ || response.close || owner_.draining();
  response.close = close_;
  if (response.stream && !head_only_) return BeginStream(response);
  Enter(Phase::kWriting, owner_.limits().write);
  transport_->Write(Serialize(response, head_only_), shared_from_this());
}

// Reads on, so that the end of the client is noticed.
void Connection::BeginStream(const Response& response) {
  close_ = true;
  lingered_ = 0;
  streaming_ = std::make_shared<std::atomic<bool>>(true);
  Enter(Phase::kStreaming, owner_.limits().write);
  transport_->Write(Serialize(response, true), shared_from_this());
  Read();
  response.stream(
      {.write =
           [executor = owner_.Executor(),
            self = weak_from_this()](std::string piece) {
             executor([self, piece = std::move(piece)] {
               const auto connection = self.lock();
               if (connection && !piece.empty()) connection->WriteChunk(piece);
             });
           },
       .open = [streaming = streaming_] { return streaming->load(); }});
  if (owner_.draining()) EndStream();
}

void Connection::WriteChunk(std::string_view piece) {
  if (phase_ != Phase::kStreaming) return;
  std::string chunk = MakeChunk(piece);
  if (unsent_ == 0) Enter(Phase::kStreaming, owner_.limits().write);
  unsent_ += chunk.size();
  if (unsent_ > kMostUnsent) return Close();
  transport_->Write(std::move(chunk), shared_from_this());
}

void Connection::EndStream() {
  if (phase_ != Phase::kStreaming) return;
  *streaming_ = false;
  Enter(Phase::kWriting, owner_.limits().write);
  transport_->Write(MakeChunk(""), shared_from_this());
}

}  // namespace sotto::http
