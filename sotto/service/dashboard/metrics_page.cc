#include "sotto/service/dashboard/metrics_page.h"

#include <string_view>
#include <utility>
#include <vector>

#include "sotto/service/events/model_trouble.h"
#include "sotto/service/metrics/prometheus.h"

namespace sotto {
namespace {

struct Model {
  std::string name;
  Json status;
  Host::Condition condition;
};

// A number of a status, by the names of its members.
struct Family {
  const char* name;
  const char* type;
  const char* help;
  std::string_view outer;
  std::string_view inner = {};
};

constexpr Family kFamilies[] = {
    {"sotto_rounds_total", "counter", "Rounds played, empty ones included.",
     "rounds"},
    {"sotto_labelled_rounds_total", "counter",
     "Answered rounds whose label came. Operator only.", "labelled"},
    {"sotto_error_total", "counter",
     "Mistakes on labelled rounds, or absolute errors of numbers. Operator "
     "only.",
     "errors", "own"},
    {"sotto_constant_error_total", "counter",
     "The same of always predicting the most frequent label. Operator only.",
     "errors", "constant"},
    {"sotto_non_private_error_total", "counter",
     "The same of the learner without privacy, if it runs. Operator only.",
     "errors", "non_private"},
    {"sotto_labels_waiting", "gauge", "Answered rounds without a label.",
     "labels_waiting"},
    {"sotto_requests_waiting", "gauge", "Requests in the queue of the model.",
     "waiting"},
    {"sotto_groups_total", "counter", "Groups of the clock slots.", "clock",
     "groups"},
    {"sotto_places_taken_total", "counter",
     "Places of groups that somebody took. Operator only.", "clock", "taken"},
    {"sotto_full_groups_total", "counter",
     "Groups without a place left: who came is not covered there.", "clock",
     "full_groups"},
    {"sotto_phase", "gauge", "Phase or number of releases.", "phase"},
    {"sotto_epsilon", "gauge", "Epsilon of the guarantee, for one user.",
     "guarantee", "epsilon"},
    {"sotto_delta", "gauge", "Delta of the guarantee, for one user.",
     "guarantee", "delta"},
    {"sotto_journal_records", "gauge", "Position of the journal.", "journal",
     "records"},
    {"sotto_records_since_snapshot", "gauge", "Records that a restart replays.",
     "journal", "since_snapshot"},
    {"sotto_journal_term", "gauge", "How often the journal was opened.",
     "journal", "term"},
};

void AddStates(const std::vector<Model>& models, MetricsText& text) {
  using State = Host::State;
  text.Begin("sotto_model_state", "gauge", "1 for the state of the model.");
  for (const Model& model : models) {
    for (const State state :
         {State::kStarting, State::kReady, State::kHalted, State::kDraining,
          State::kEnded, State::kFrozen}) {
      text.Add({{"model", model.name}, {"state", Host::StateName(state)}},
               model.condition.state == state ? 1 : 0);
    }
  }
  text.Begin("sotto_durable_lag_seconds", "gauge",
             "Time until the newest block was durable.");
  for (const Model& model : models) {
    const auto lag = Look(model.status, "journal", "durable_lag_ms").number();
    if (lag) text.Add({{"model", model.name}}, *lag / 1e3);
  }
}

void AddFamilies(const std::vector<Model>& models, MetricsText& text) {
  for (const Family& family : kFamilies) {
    text.Begin(family.name, family.type, family.help);
    for (const Model& model : models) {
      const Json& outer = Look(model.status, family.outer);
      const Json& value =
          family.inner.empty() ? outer : Look(outer, family.inner);
      if (const auto number = value.number()) {
        text.Add({{"model", model.name}}, *number);
      }
    }
  }
}

void AddTraffic(const MetricsSources& sources, const std::vector<Model>& models,
                MetricsText& text) {
  std::vector<std::pair<std::string, RequestMeter::Traffic>> all;
  for (const Model& model : models) {
    all.emplace_back(model.name, sources.meter.Read(model.name));
  }
  all.emplace_back("", sources.meter.Read(""));
  text.Begin("sotto_requests_total", "counter",
             "Answers to users by status; no model: none of that name.");
  for (const auto& [name, traffic] : all) {
    for (const auto& [status, count] : traffic.statuses) {
      text.Add({{"model", name}, {"status", std::to_string(status)}},
               static_cast<double>(count));
    }
  }
  text.Begin("sotto_request_seconds", "histogram",
             "Time from a complete head to the reply.");
  for (const auto& [name, traffic] : all) {
    if (!name.empty()) text.AddHistogram({{"model", name}}, traffic.latency);
  }
}

void AddPopulations(const HostSet& hosts, MetricsText& text) {
  const Json populations = hosts.Populations();
  const auto add = [&](const char* name, const char* help, auto find) {
    text.Begin(name, "gauge", help);
    for (const auto& [population, total] : *populations.object()) {
      const auto number = find(total).number();
      if (number) text.Add({{"population", population}}, *number);
    }
  };
  const auto find = [](std::string_view name) {
    return
        [name](const Json& total) -> const Json& { return Look(total, name); };
  };
  const auto limit = [](std::string_view name) {
    return [name](const Json& total) -> const Json& {
      return Look(total, "limit", name);
    };
  };
  add("sotto_population_epsilon", "Sum over models on the same people.",
      find("epsilon"));
  add("sotto_population_delta", "Sum over models on the same people.",
      find("delta"));
  add("sotto_population_epsilon_limit", "The operator's limit.",
      limit("epsilon"));
  add("sotto_population_delta_limit", "The operator's limit.", limit("delta"));
}

void AddProcess(const MetricsSources& sources, MetricsText& text) {
  const http::Server::Counts counts = sources.connections();
  const auto add = [&](const char* name, const char* type, const char* help,
                       double value) {
    text.Begin(name, type, help);
    text.Add({}, value);
  };
  text.Begin("sotto_build_info", "gauge", "1, with the version.");
  text.Add({{"version", sources.version}}, 1);
  add("sotto_start_time_seconds", "gauge", "When the service started.",
      sources.watch.started());
  add("sotto_connections", "gauge", "Open connections.",
      static_cast<double>(counts.open));
  add("sotto_connections_total", "counter", "Accepted connections.",
      static_cast<double>(counts.accepted));
  add("sotto_connections_turned_away_total", "counter",
      "Connections closed to make room.",
      static_cast<double>(counts.turned_away));
  add("sotto_malformed_requests_total", "counter",
      "Requests whose head cannot be read.",
      static_cast<double>(counts.malformed));
  add("sotto_event_readers", "gauge", "Open dashboards.",
      static_cast<double>(sources.watch.readers()));
  const Json disk = sources.watch.DescribeDisk();
  if (const auto free = Look(disk, "free").number()) {
    add("sotto_disk_free_bytes", "gauge", "Free space of the folder's disk.",
        *free);
  }
}

}  // namespace

std::string WriteMetrics(const MetricsSources& sources) {
  std::vector<Model> models;
  for (const Host* host : sources.hosts.hosts()) {
    models.push_back({host->name(), host->Status(), host->condition()});
  }
  MetricsText text;
  AddProcess(sources, text);
  AddStates(models, text);
  AddFamilies(models, text);
  AddTraffic(sources, models, text);
  AddPopulations(sources.hosts, text);
  return text.text();
}

}  // namespace sotto
