#!/usr/bin/env python3
"""The files of deploy, as far as one machine can try them: deploy_test.py SOTTO

Manifests are read; paths, files, flags and secrets that they name exist. Then the scripts that the
containers run make a primary, a standby and two processes, here and without containers.
"""
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

SOTTO = os.path.abspath(sys.argv.pop(1))
DEPLOY = pathlib.Path(__file__).resolve().parent
ROOT = DEPLOY.parent
sys.path.insert(0, str(ROOT / "tools"))
from service_client import Client  # noqa: E402

SECRETS = {"service": {"sotto.key", "credentials.key", "credentials.json", "operator.token", "pgpass"},
           "database": {"admin.password", "admin.pgpass", "service.password"}}
SCRIPTS = {path.name for path in (DEPLOY / "postgres").iterdir()} | {"process.sh", "models.json"}


def manifests(name):
    return [it for it in yaml.safe_load_all((DEPLOY / name).read_text()) if it]


def flags(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def containers(manifest):
    return manifest.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])


class ReadTest(unittest.TestCase):
    """Names in the files exist."""

    def setUp(self):
        done = subprocess.run([SOTTO, "serve", "--help-all"], capture_output=True, text=True, check=True)
        self.known = flags(done.stdout)

    def test_flags_are_those_of_the_program(self):
        unit = (DEPLOY / "sotto-engine.service").read_text()
        process = (DEPLOY / "process.sh").read_text().split("exec ")[1]
        alone = (DEPLOY / "sotto.service").read_text()
        for text in (unit.split("ExecStart=")[1].split("\nState")[0], process, alone.split("ExecStart=")[1].split("\n")[0]):
            self.assertIn("--", text)
            self.assertLessEqual(flags(text), self.known)
        sotto = next(it for it in manifests("kubernetes/sotto.yaml") if it["kind"] == "StatefulSet")
        self.assertLessEqual(flags(" ".join(containers(sotto)[0]["args"])), self.known)

    def test_probes_name_paths_and_ports_that_exist(self):
        paths = set(re.findall(r'^"(/[^"]*)":', (ROOT / "sotto/service/api/openapi.cc").read_text(), re.M))
        sotto = next(it for it in manifests("kubernetes/sotto.yaml") if it["kind"] == "StatefulSet")
        container = containers(sotto)[0]
        ports = {port["name"] for port in container["ports"]}
        probes = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
        for probe in probes.values():
            self.assertIn(probe["path"], paths)
            self.assertIn(probe["port"], ports)
        # A process that replays or waits is alive.
        self.assertEqual([probes[name]["path"] for name in probes], ["/healthz", "/healthz", "/readyz"])

    def test_selectors_volumes_secrets_and_scripts_belong_together(self):
        for name in ("kubernetes/sotto.yaml", "kubernetes/database.yaml"):
            everything = manifests(name)
            labels = [it["spec"]["template"]["metadata"]["labels"] for it in everything if it["kind"] == "StatefulSet"]
            for it in everything:
                if it["kind"] in ("Service", "PodDisruptionBudget"):
                    wanted = it["spec"]["selector"]
                    wanted = wanted.get("matchLabels", wanted).items()
                    self.assertTrue(any(wanted <= found.items() for found in labels), it["metadata"]["name"])
                for container in containers(it):
                    pod = it["spec"]["template"]["spec"]
                    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
                    volumes |= {claim["metadata"]["name"]: claim for claim in it["spec"].get("volumeClaimTemplates", [])}
                    mounts = {mount["mountPath"]: volumes[mount["name"]] for mount in container["volumeMounts"]}
                    self.check_files(json.dumps(container), mounts)

    def check_files(self, text, mounts):
        """/secrets/NAME and /scripts/NAME are in what is mounted there."""
        for folder, name in re.findall(r"/(secrets|scripts)/([\w.-]+)", text):
            volume = mounts["/" + folder]
            if folder == "scripts":
                self.assertEqual(volume["configMap"]["name"], "sotto-scripts")
                self.assertIn(name, SCRIPTS)
            else:
                kind = {"sotto": "service", "sotto-database": "database"}[volume["secret"]["secretName"]]
                self.assertIn(name, SECRETS[kind])

    def test_compose_mounts_what_its_commands_use(self):
        compose = manifests("compose.yaml")[0]
        for name, service in compose["services"].items():
            for secret in service.get("secrets", []):
                self.assertIn(os.path.basename(compose["secrets"][secret]["file"]), SECRETS["database"])
            for other in service.get("depends_on", {}):
                self.assertIn(other, compose["services"])
            mounted = [volume.split(":")[:2] for volume in service.get("volumes", [])]
            for source, _ in mounted:
                known = (DEPLOY / source).exists() or source in compose["volumes"] or source.startswith("./secrets/")
                self.assertTrue(known, (name, source))
            words = " ".join([*service.get("entrypoint", []), *service.get("command", [])])
            for path in re.findall(r"/scripts/([\w./-]+)", words):
                self.assertTrue((DEPLOY / path).exists(), path)
                self.assertIn([".", "/scripts"], mounted)
        self.assertEqual(compose["services"]["one"]["environment"], compose["services"]["two"]["environment"])

    def test_models_and_units_are_read(self):
        done = subprocess.run([SOTTO, "serve", "--dir", "none", "--config", DEPLOY / "models.json", "--check-config"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        if shutil.which("systemd-analyze"):
            for unit in DEPLOY.glob("*.service"):
                done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
                complaints = [line for line in done.stderr.splitlines() if "is not executable" not in line]
                self.assertEqual(complaints, [])

    def test_patroni_waits_for_a_standby(self):
        dcs = manifests("patroni.yml")[0]["bootstrap"]["dcs"]
        self.assertTrue(dcs["synchronous_mode"] is True and dcs["synchronous_mode_strict"] is True)
        parameters = dcs["postgresql"]["parameters"]
        self.assertEqual({parameters[name] for name in ("synchronous_commit", "fsync", "full_page_writes")}, {"on"})
        self.assertGreaterEqual(dcs["ttl"], dcs["loop_wait"] + 2 * dcs["retry_timeout"])


class AlertsTest(unittest.TestCase):
    def test_the_page_explains_every_alert_and_no_other(self):
        rules = manifests("prometheus-alerts.yml")[0]
        names = {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
        page = (ROOT / "docs/how-to/run-a-cluster.md").read_text()
        self.assertEqual(names, set(re.findall(r"^\| `(Sotto\w+)`", page, re.M)))

    def test_metrics_of_alerts_and_plots_exist(self):
        sources = "".join(path.read_text() for path in (ROOT / "sotto/service").rglob("*.cc"))
        used = (DEPLOY / "prometheus-alerts.yml").read_text() + (DEPLOY / "grafana-dashboard.json").read_text()
        for metric in set(re.findall(r"sotto_[a-z_]+", used)):
            self.assertIn('"' + re.sub("_(bucket|count)$", "", metric) + '"', sources)

    @unittest.skipUnless(shutil.which("promtool"), "no promtool")
    def test_prometheus_takes_them_and_they_fire_when_they_should(self):
        for words in (["check", "rules", "prometheus-alerts.yml"], ["test", "rules", "prometheus-alerts-test.yml"]):
            done = subprocess.run(["promtool", *words], cwd=DEPLOY, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class ClusterTest(unittest.TestCase):
    """The containers' scripts, as processes of this machine."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sotto-deploy-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.as_postgres = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self.run_script("make-secrets.sh", str(self.folder / "secrets"), "shop")
        self.service_secrets = self.folder / "secrets/service"
        self.database_secrets = self.folder / "secrets/database"

    def run_script(self, name, *arguments, **variables):
        done = subprocess.run(["sh", DEPLOY / name, *arguments], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "SOTTO": SOTTO, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.printed = done.stdout
        return done

    def owned(self, name):
        """A new folder that PostgreSQL may write."""
        path = self.folder / name
        path.mkdir(mode=0o700)
        if self.as_postgres:
            shutil.chown(path, "postgres", "postgres")
        return path

    def start(self, command, **variables):
        log = open(self.folder / f"log-{len(list(self.folder.glob('log-*')))}", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", env={**os.environ, **variables})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGINT if "postgres" in str(process.args) else signal.SIGTERM)
            process.wait(60)

    def server(self, data):
        """Options of a server of this test, which is reached by a socket in its folder."""
        return ["-D", str(data), "-k", str(data), "-c", "listen_addresses="]

    def socket_in(self, data):
        return f"{str(data).replace('/', '%2F')}:5432/postgres"

    def start_primary(self):
        data = self.owned("primary")
        shutil.copy(self.database_secrets / "admin.password", data.parent / "password")
        os.chmod(data.parent / "password", 0o644)
        subprocess.run([*self.as_postgres, f"{self.bin}/initdb", "-D", data, "-A", "scram-sha-256", "-U", "postgres",
                        "--pwfile", data.parent / "password", "--no-sync"], check=True, cwd="/", stdout=subprocess.DEVNULL)
        self.run_script("postgres/allow-replication.sh", PGDATA=str(data))
        while True:  # another program may take the port first
            self.port = free_port()
            primary = self.start([*self.as_postgres, f"{self.bin}/postgres", *self.server(data), "-p", str(self.port),
                                  "-c", "listen_addresses=127.0.0.1"])
            while primary.poll() is None:
                if subprocess.run([f"{self.bin}/pg_isready", "-qh", "127.0.0.1", "-p", str(self.port)]).returncode == 0:
                    return primary
                time.sleep(0.1)

    def start_standby(self):
        data = self.owned("standby")
        passfile = data / "pgpass"
        shutil.copy(self.database_secrets / "admin.pgpass", passfile)
        if self.as_postgres:
            shutil.chown(passfile, "postgres", "postgres")
        script = self.folder / "standby.sh"
        shutil.copy(DEPLOY / "postgres/standby.sh", script)
        words = ["env", f"PATH={self.bin}:{os.environ['PATH']}", f"PGDATA={data / 'pg'}", "NAME=standby",
                 f"PRIMARY=host=127.0.0.1 port={self.port} user=postgres passfile={passfile}",
                 "sh", str(script), *self.server(data / "pg")]
        return self.start([*self.as_postgres, *words])

    def ask_primary(self, query):
        return subprocess.run(["psql", self.primary, "-Atqc", query], capture_output=True, text=True).stdout.strip()

    def start_process(self, name, database=None):
        """A process as deploy/kubernetes starts it, and clients of its users and its operator."""
        (self.folder / name).mkdir(exist_ok=True)
        process = self.start(["sh", str(DEPLOY / "process.sh")], SOTTO=SOTTO, SECRETS=str(self.service_secrets),
                             DIR=str(self.folder / name), MODELS=str(DEPLOY / "models.json"), LISTEN="127.0.0.1:0",
                             OPERATOR="127.0.0.1:0", PEER="127.0.0.1:0", DATABASE="postgresql://sotto_login@" + (
                                 self.socket_in(database) if database else f"127.0.0.1:{self.port}/postgres"))
        log = max(self.folder.glob("log-*"), key=lambda path: int(path.name[4:]))
        end = time.monotonic() + 60
        while not (found := re.search(r'.*"event":"listening".*', log.read_text())):
            self.assertLess(time.monotonic(), end, log.read_text())
            time.sleep(0.05)
        addresses = json.loads(found[0])
        clients = [Client(addresses[kind]) for kind in ("users", "operator")]
        for client in clients:
            self.addCleanup(client.close)
        return process, *clients

    def wait_for(self, client, path, wanted):
        end = time.monotonic() + 60
        while True:
            try:
                status = client.ask("GET", path, headers={"User-Agent": "kube-probe/1.27", "Accept": "*/*"})[0]
            except OSError:
                status = None
            if status == wanted:
                return
            self.assertLess(time.monotonic(), end, f"{path}: {status}")
            time.sleep(0.1)

    def start_database(self):
        """A primary with a synchronous standby, prepared for the service."""
        primary = self.start_primary()
        self.start_standby()
        self.primary = (f"postgresql://postgres@127.0.0.1:{self.port}/postgres?"
                        f"passfile={self.database_secrets}/admin.pgpass")
        for _ in range(2):  # it can be repeated
            self.run_script("postgres/prepare.sh", PRIMARY=self.primary, NAME="standby",
                            PASSWORD_FILE=str(self.database_secrets / "service.password"))
        self.assertEqual(self.ask_primary("SELECT application_name, sync_state FROM pg_stat_replication"), "standby|sync")
        return primary

    def back_up(self):
        """A backup of the database, as the page says."""
        passfile = self.database_secrets / "admin.pgpass"
        subprocess.run([f"{self.bin}/pg_basebackup", "-d", f"host=127.0.0.1 port={self.port} user=postgres passfile={passfile}",
                        "-D", self.folder / "backup", "--checkpoint", "fast"], check=True, capture_output=True)
        if self.as_postgres:
            for path in [self.folder / "backup", *(self.folder / "backup").rglob("*")]:
                shutil.chown(path, "postgres", "postgres")

    def add(self, client, user, patience=60):
        """Asks as clients do: again with the same key while the writer is being replaced."""
        headers = {"Sotto-User": user, "Idempotency-Key": user, "Authorization": f"Bearer {self.secret}"}
        end = time.monotonic() + patience
        while True:
            answer = client.ask("POST", "/v1/counters/visits/add", {"value": 1}, headers)
            if answer[0] not in (503, 504) or time.monotonic() > end:
                return answer
            time.sleep(0.1)

    def test_a_writer_a_primary_and_a_backup_are_lost_as_the_page_says(self):
        self.secret = json.loads(self.printed)["key"]
        for kind, names in SECRETS.items():
            self.assertEqual({path.name for path in (self.folder / "secrets" / kind).iterdir()}, names)
        primary = self.start_database()
        first, users, _ = self.start_process("one")
        self.wait_for(users, "/readyz", 200)
        second, others, _ = self.start_process("two")
        self.wait_for(others, "/readyz", 200)
        self.assertEqual(users.ask("POST", "/v1/counters/visits/add", {"value": 1}, {"Sotto-User": "ann"})[0], 401)
        status, _, ann = self.add(users, "ann")
        self.assertEqual(status, 200)
        self.assertEqual(self.add(others, "ann")[2], ann)  # by way of the writer
        self.back_up()
        first.kill()
        first.wait(60)
        self.wait_for(others, "/readyz", 200)
        self.assertEqual(self.add(others, "ann")[2], ann)
        status, _, bob = self.add(others, "bob")
        self.assertEqual(status, 200)
        # The primary is lost at once; the standby is promoted and has everything.
        self.end(second)
        primary.send_signal(signal.SIGQUIT)
        primary.wait(60)
        subprocess.run([*self.as_postgres, f"{self.bin}/pg_ctl", "-D", self.folder / "standby/pg", "-w", "promote"],
                       check=True, cwd="/", stdout=subprocess.DEVNULL)
        third, users, _ = self.start_process("two", self.folder / "standby/pg")
        self.wait_for(users, "/readyz", 200)
        self.assertEqual([self.add(users, "ann")[2], self.add(users, "bob")[2]], [ann, bob])
        self.end(third)
        self.check_restored()

    def check_restored(self):
        """The backup lacks bob's round: the process that wrote it refuses to answer him again."""
        data = self.folder / "backup"
        # Its settings came with it: without a standby it would wait for one.
        alone = ["-c", "synchronous_standby_names="]
        self.start([*self.as_postgres, f"{self.bin}/postgres", *self.server(data), *alone])
        url = f"postgresql://postgres@{self.socket_in(data)}?passfile={self.database_secrets}/admin.pgpass"
        while not subprocess.run(["psql", url, "-Atqc", "SELECT 1"], capture_output=True).stdout:
            time.sleep(0.1)
        process, users, operator = self.start_process("two", data)
        token = (self.service_secrets / "operator.token").read_text()
        end = time.monotonic() + 60
        while True:
            self.assertLess(time.monotonic(), end)
            try:
                body = operator.ask("GET", "/v1/models/visits", headers={"Authorization": f"Bearer {token}"})[2]
            except OSError:
                body = b"{}"
            if json.loads(body).get("state") == "frozen":
                break
            time.sleep(0.1)
        self.assertIn(b"rolled back", body)
        self.assertEqual(self.add(users, "bob", patience=0)[0], 503)
        self.end(process)
        done = subprocess.run([SOTTO, "engine", "declare-rollback", "--model", "visits", "--json", url],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, '{"retired":"visits"}\n'), done.stderr)
        _, users, operator = self.start_process("two", data)
        self.wait_for(users, "/readyz", 200)
        models = json.loads(operator.ask("GET", "/v1/models", headers={"Authorization": f"Bearer {token}"})[2])
        self.assertEqual(models["populations"]["visitors"]["epsilon"], 2)


class ScriptsTest(unittest.TestCase):
    def test_scripts_are_read_by_the_shell(self):
        scripts = [*DEPLOY.glob("*.sh"), *DEPLOY.glob("*/*.sh")]
        self.assertGreater(len(scripts), 5)
        for script in scripts:
            done = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shlex.quote(str(script)))


if __name__ == "__main__":
    unittest.main()
