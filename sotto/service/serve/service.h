#pragma once

#include <memory>
#include <string>

#include "sotto/base/result.h"
#include "sotto/service/api/credentials.h"
#include "sotto/service/api/operator_api.h"
#include "sotto/service/api/user_api.h"
#include "sotto/service/dashboard/operator_pages.h"
#include "sotto/service/events/service_watch.h"
#include "sotto/service/host_set.h"
#include "sotto/service/http/server.h"
#include "sotto/service/metrics/request_meter.h"
#include "sotto/service/serve/event_log.h"
#include "sotto/service/serve/service_config.h"
#include "sotto/service/serve/service_peers.h"

namespace sotto {

// A whole service: models, keys, two listeners.
//
//   auto service = RunningService::Start(config, log);
//   (*service)->Run();      // until SIGTERM or SIGINT
//
// Threads: Run on one thread; Drain from any.
class RunningService {
 public:
  // Binds the addresses, opens the folder and makes the models that are not
  // there yet. Fails with kInvalidArgument for a configuration that cannot be
  // used, and as HostSet and http::Server do.
  static Result<std::unique_ptr<RunningService>> Start(
      const ServiceConfig& config, EventLog& log);
  // Checks the configuration and its models. `folder` need not exist.
  static Status Check(const ServiceConfig& config);
  ~RunningService();

  // URLs of users and operator, with the ports that the system gave.
  std::string user_url() const;
  std::string operator_url() const;
  // The same without a scheme, as they are written in a configuration.
  std::string user_address() const {
    return server_->addresses()[0].ToString();
  }
  std::string operator_address() const {
    return server_->addresses()[1].ToString();
  }

  // Serves until a signal, then drains listeners and models.
  void Run();
  void Drain() { server_->Drain(); }

 private:
  RunningService(ServiceConfig config, EventLog& log)
      : config_(std::move(config)), log_(log) {}

  Status Bind();
  Status Open();
  Status MakeApis();
  void MakePages();
  Status MakeModels();

  // Every model of the service; those that this process writes are in hosts_.
  HostSet& models() const { return peers_ ? peers_->hosts() : *hosts_; }
  http::Decision AskUsers(const http::Request& request);

  ServiceConfig config_;
  EventLog& log_;
  std::unique_ptr<ServicePeers> peers_;  // null without --engine
  std::unique_ptr<HostSet> hosts_;       // null in a front
  std::unique_ptr<RequestMeter> meter_;
  std::unique_ptr<api::Credentials> credentials_;
  std::unique_ptr<api::UserApi> users_;
  std::unique_ptr<api::OperatorApi> operator_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<ServiceWatch> watch_;
  std::unique_ptr<OperatorPages> pages_;
};

}  // namespace sotto
