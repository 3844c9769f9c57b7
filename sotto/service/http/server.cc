#include "sotto/service/http/server.h"

#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sotto/service/http/asio_transport.h"
#include "sotto/service/http/connection.h"
#include "sotto/service/http/listen_socket.h"

namespace sotto::http {
namespace {

using namespace std::chrono_literals;

constexpr auto kSweep = 50ms;        // between two looks at the deadlines
constexpr auto kAcceptPause = 50ms;  // when the system has no descriptors
constexpr int kAcceptsInARow = 64;
constexpr std::size_t kOtherDescriptors = 512;  // for models and pages
constexpr std::size_t kScratch = 1 << 16;

// One listening socket.
struct Door {
  Door(asio::io_context& io, int socket, Listener what)
      : descriptor(io.get_executor(), socket),
        pause(io.get_executor()),
        listener(std::move(what)) {}

  asio::posix::basic_stream_descriptor<Executor> descriptor;
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> pause;
  Listener listener;
  std::optional<asio::ssl::context> tls;
};

Result<std::optional<asio::ssl::context>> LoadTls(const Listener& listener) {
  std::optional<asio::ssl::context> context;
  if (listener.certificate.empty()) return context;
  context.emplace(asio::ssl::context::tls_server);
  SystemError error;
  context->set_options(asio::ssl::context::default_workarounds |
                       asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  context->use_certificate_chain_file(listener.certificate, error);
  if (error) {
    return InvalidArgument("cannot read the certificate '" +
                           listener.certificate + "': " + error.message());
  }
  context->use_private_key_file(listener.private_key, asio::ssl::context::pem,
                                error);
  if (error) {
    return InvalidArgument("cannot use the private key '" +
                           listener.private_key + "': " + error.message());
  }
  return context;
}

}  // namespace

class Server::Impl final : public ConnectionOwner,
                           public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(const Limits& limits)
      : limits_(limits),
        sweep_(io_.get_executor()),
        end_(io_.get_executor()),
        grid_(io_.get_executor()),
        signals_(io_.get_executor()) {}

  Status Open(Listener listener);
  void Run();
  void DrainOnSignals();
  void Drain();

  const Limits& limits() const override { return limits_; }
  Clock::time_point now() const override { return Clock::now(); }
  bool draining() const override { return draining_; }
  std::size_t& buffered() override { return buffered_; }
  std::function<void(std::function<void()>)> Executor() override;
  void CallOnGrid(std::chrono::milliseconds grid,
                  std::function<void()> work) override;
  void OnRequest(Connection& connection) override;
  void OnHead(bool good) override;
  void OnIdle(Connection& connection) override;
  void OnClosed(Connection& connection) override;

  asio::io_context io_{1};
  std::vector<Address> addresses_;
  struct {
    std::atomic<std::uint64_t> open = 0, accepted = 0, turned_away = 0,
                               requests = 0, malformed = 0;
  } counts_;

 private:
  using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>,
                                           http::Executor>;
  using List = std::list<std::shared_ptr<Connection>>;
  struct Place {
    List* list;
    List::iterator at;
  };

  void AcceptLater(Door& door);
  void AcceptSome(Door& door);
  void PauseAccepting(Door& door);
  void Welcome(Door& door, int socket);
  bool MakeRoom();
  void MoveTo(List& list, Connection& connection);
  void Sweep();
  void BeginDrain();
  void CloseAll(List& list);

  Limits limits_;
  std::list<Door> doors_;
  // Connections without a request so far, between requests, with one: each
  // list from the one that has been there longest.
  List fresh_, idle_, busy_;
  std::unordered_map<Connection*, Place> places_;
  std::size_t buffered_ = 0;
  std::array<char, kScratch> scratch_{};
  Timer sweep_, end_, grid_;
  std::vector<std::function<void()>> on_grid_;
  asio::basic_signal_set<http::Executor> signals_;
  std::atomic<bool> draining_ = false;
};

Status Server::Impl::Open(Listener listener) {
  SOTTO_TRY_ASSIGN(auto tls, LoadTls(listener));
  SOTTO_TRY_ASSIGN(const int socket, ListenOn(listener.address));
  ReserveDescriptors(socket, limits_.connections + kOtherDescriptors);
  addresses_.push_back(listener.address);
  Door& door = doors_.emplace_back(io_, socket, std::move(listener));
  door.tls = std::move(tls);
  return Ok();
}

void Server::Impl::Run() {
  const auto work = asio::make_work_guard(io_);
  for (Door& door : doors_) AcceptLater(door);
  Sweep();
  io_.run();
  for (List* list : {&fresh_, &idle_, &busy_}) CloseAll(*list);
}

void Server::Impl::AcceptLater(Door& door) {
  door.descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                             [this, &door](SystemError error) {
                               if (!error && !draining_) AcceptSome(door);
                             });
}

void Server::Impl::AcceptSome(Door& door) {
  for (int i = 0; i < kAcceptsInARow; ++i) {
    const int socket = AcceptFrom(door.descriptor.native_handle());
    if (socket >= 0) {
      Welcome(door, socket);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return PauseAccepting(door);
    }
  }
  AcceptLater(door);
}

void Server::Impl::PauseAccepting(Door& door) {
  MakeRoom();
  door.pause.expires_after(kAcceptPause);
  door.pause.async_wait([this, &door](SystemError error) {
    if (!error && !draining_) AcceptSome(door);
  });
}

void Server::Impl::Welcome(Door& door, int descriptor) {
  const int family = door.listener.address.is_unix() ? AF_UNIX : AF_INET;
  Socket socket(io_.get_executor(), asio::generic::stream_protocol(family, 0),
                descriptor);
  SystemError ignored;
  socket.non_blocking(true, ignored);  // or Asio would wait in its calls
  if (places_.size() >= limits_.connections && !MakeRoom()) {
    ++counts_.turned_away;
    return;  // closes it
  }
  std::unique_ptr<Transport> transport;
  if (door.tls) {
    transport = std::make_unique<TlsTransport>(std::move(socket), *door.tls);
  } else {
    transport = std::make_unique<PlainTransport>(std::move(socket), scratch_);
  }
  const auto connection = std::make_shared<Connection>(
      *this, door.listener.handler, std::move(transport),
      door.listener.reply_grid);
  fresh_.push_back(connection);
  places_[connection.get()] = {&fresh_, std::prev(fresh_.end())};
  ++counts_.accepted;
  counts_.open = places_.size();
  connection->Start();
}

// Closes the connection that has been silent longest, if one is silent.
bool Server::Impl::MakeRoom() {
  for (List* list : {&fresh_, &idle_}) {
    if (list->empty()) continue;
    ++counts_.turned_away;
    const auto oldest = list->front();
    oldest->Close();
    return true;
  }
  return false;
}

void Server::Impl::MoveTo(List& list, Connection& connection) {
  Place& place = places_.at(&connection);
  list.splice(list.end(), *place.list, place.at);
  place.list = &list;
}

void Server::Impl::OnRequest(Connection& connection) {
  MoveTo(busy_, connection);
}

void Server::Impl::OnHead(bool good) {
  ++(good ? counts_.requests : counts_.malformed);
}

void Server::Impl::OnIdle(Connection& connection) {
  MoveTo(idle_, connection);
  if (draining_) connection.Close();
}

void Server::Impl::OnClosed(Connection& connection) {
  const auto found = places_.find(&connection);
  if (found == places_.end()) return;
  found->second.list->erase(found->second.at);
  places_.erase(found);
  counts_.open = places_.size();
  if (draining_ && places_.empty()) io_.stop();
}

std::function<void(std::function<void()>)> Server::Impl::Executor() {
  return [self = weak_from_this()](std::function<void()> work) {
    const auto server = self.lock();
    if (server) asio::dispatch(server->io_.get_executor(), std::move(work));
  };
}

void Server::Impl::CallOnGrid(std::chrono::milliseconds grid,
                              std::function<void()> work) {
  on_grid_.push_back(std::move(work));
  if (on_grid_.size() > 1) return;
  grid_.expires_at(
      Clock::time_point((Clock::now().time_since_epoch() / grid + 1) * grid));
  grid_.async_wait([this](SystemError error) {
    if (error) return;
    for (const auto& due : std::exchange(on_grid_, {})) due();
  });
}

void Server::Impl::Sweep() {
  sweep_.expires_after(kSweep);
  sweep_.async_wait([this](SystemError error) {
    if (error) return;
    const auto time = now();
    for (List* list : {&fresh_, &idle_, &busy_}) {
      for (auto at = list->begin(); at != list->end();) {
        const auto connection = *at++;  // it may leave the list
        connection->CheckDeadline(time);
      }
    }
    Sweep();
  });
}

void Server::Impl::DrainOnSignals() {
  SystemError ignored;
  signals_.add(SIGINT, ignored);
  signals_.add(SIGTERM, ignored);
  signals_.async_wait([this](SystemError error, int) {
    if (error) return;
    BeginDrain();
    signals_.async_wait([this](SystemError again, int) {
      if (!again) io_.stop();
    });
  });
}

void Server::Impl::Drain() {
  asio::dispatch(io_.get_executor(), [this] { BeginDrain(); });
}

void Server::Impl::BeginDrain() {
  if (draining_.exchange(true)) return;
  for (Door& door : doors_) {
    SystemError ignored;
    door.descriptor.close(ignored);
    door.pause.cancel();
    if (door.listener.address.is_unix()) {
      unlink(door.listener.address.path.c_str());
    }
  }
  CloseAll(fresh_);
  CloseAll(idle_);
  for (auto at = busy_.begin(); at != busy_.end();) {
    const auto connection = *at++;  // it may leave the list
    connection->EndStream();
  }
  if (places_.empty()) return io_.stop();
  end_.expires_after(limits_.drain);
  end_.async_wait([this](SystemError) { io_.stop(); });
}

void Server::Impl::CloseAll(List& list) {
  while (!list.empty()) {
    const auto first = list.front();
    first->Close();
  }
}

Result<std::unique_ptr<Server>> Server::Create(
    const Limits& limits, std::vector<Listener> listeners) {
  auto impl = std::make_shared<Impl>(limits);
  for (Listener& listener : listeners) {
    SOTTO_TRY(impl->Open(std::move(listener)));
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::~Server() = default;
const std::vector<Address>& Server::addresses() const {
  return impl_->addresses_;
}
void Server::Run() { impl_->Run(); }
void Server::DrainOnSignals() { impl_->DrainOnSignals(); }
void Server::Drain() { impl_->Drain(); }
bool Server::draining() const { return impl_->draining(); }

Server::Counts Server::counts() const {
  const auto& counts = impl_->counts_;
  return {.open = counts.open,
          .accepted = counts.accepted,
          .turned_away = counts.turned_away,
          .requests = counts.requests,
          .malformed = counts.malformed};
}

}  // namespace sotto::http
