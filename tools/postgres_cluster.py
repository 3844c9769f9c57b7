"""Three PostgreSQL nodes, for tests and tools: a primary and two synchronous standbys.

    with Cluster(folder) as cluster:
        cluster.url          # names all three; clients find the primary
        cluster.kill("a"); cluster.promote(); cluster.rejoin("a")

Run by an unprivileged user: `postgres` if the caller is root. On loopback unless a network says where
each node stands (test_network.py).
"""
import glob
import os
import shutil
import signal
import socket
import subprocess
import time

from test_network import Loopback, database_user

SETTINGS = """
listen_addresses = '{address}'
port = {port}
unix_socket_directories = '{folder}'
cluster_name = '{name}'
shared_buffers = 16MB
max_wal_size = 1GB
wal_keep_size = 256MB
hot_standby = on
synchronous_standby_names = 'ANY 1 (a, b, c)'
synchronous_commit = on
wal_receiver_status_interval = 1s
wal_sender_timeout = 5s
wal_receiver_timeout = 5s
wal_retrieve_retry_interval = 100ms
autovacuum = off
max_connections = 60
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, folder, network=None):
        self.network = network or Loopback()
        self.folder = os.path.join(folder, "pg")
        os.chmod(folder, 0o711)
        os.mkdir(self.folder)
        self.user = database_user()
        self.give(self.folder)
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.ports = {name: free_port() for name in "abc"}
        self.primary = "a"
        self.call("a", "initdb", "-D", self.data("a"), "-A", "trust", "-U", "sotto", "--no-sync")
        self.write(self.data("a") + "/pg_hba.conf", f"host all,replication all {self.network.network} trust\n")
        self.configure("a")
        self.start("a")
        for name in "bc":
            self.rejoin(name)

    @property
    def url(self):
        hosts = ",".join(f"{self.network.address(name)}:{port}" for name, port in self.ports.items())
        return f"postgresql://sotto@{hosts}/postgres"

    def data(self, name):
        return os.path.join(self.folder, name)

    def give(self, *paths):
        if "runuser" in self.user:
            for path in paths:
                shutil.chown(path, "postgres", "postgres")

    def command(self, name, program, *arguments):
        """A program of PostgreSQL on the machine of a node."""
        return [*self.network.inside(name), *self.user, os.path.join(self.bin, program), *arguments]

    def call(self, name, program, *arguments):
        return subprocess.run(self.command(name, program, *arguments), check=True, cwd="/", capture_output=True,
                              text=True)

    def write(self, path, text, mode="a"):
        with open(path, mode) as file:
            file.write(text)

    def configure(self, name):
        self.write(self.data(name) + "/postgresql.conf",
                   SETTINGS.format(address=self.network.address(name), port=self.ports[name], folder=self.folder,
                                   name=name))

    def start(self, name):
        # Without pipes: the server would hold them open.
        subprocess.run(self.command(name, "pg_ctl", "-w", "-D", self.data(name), "-l", self.data(name) + ".log", "start"),
                       check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, name, statement):
        return self.call(name, "psql", "-X", "-A", "-t", "-h", self.folder, "-p", str(self.ports[name]), "-U", "sotto",
                         "postgres", "-c", statement).stdout.strip()

    def processes(self, name):
        """The server's process and its children."""
        with open(self.data(name) + "/postmaster.pid") as file:
            server = int(file.readline())
        children = subprocess.run(["pgrep", "-P", str(server)], capture_output=True, text=True).stdout.split()
        return [server, *map(int, children)]

    def signal(self, name, number):
        processes = self.processes(name)
        if number == signal.SIGCONT:
            processes.reverse()
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def stop(self, name):
        """Nobody hears of it until `resume`: as if it were cut off."""
        self.signal(name, signal.SIGSTOP)

    def resume(self, name):
        self.signal(name, signal.SIGCONT)

    def kill(self, name):
        self.signal(name, signal.SIGKILL)
        time.sleep(0.1)
        for path in (self.data(name) + "/postmaster.pid", f"{self.folder}/.s.PGSQL.{self.ports[name]}.lock"):
            if os.path.exists(path):
                os.unlink(path)

    def promote(self):
        """The furthest standby becomes the primary, the other one follows it."""
        standbys = [name for name in "abc" if name != self.primary]
        received = "SELECT pg_wal_lsn_diff(coalesce(pg_last_wal_receive_lsn(), '0/0'), '0/0')"
        standbys.sort(key=lambda name: int(self.ask(name, received)))
        other, self.primary = standbys
        self.call(self.primary, "pg_ctl", "-w", "-D", self.data(self.primary), "promote")
        self.follow(other)

    def source(self, name):
        host, port = self.network.address(self.primary), self.ports[self.primary]
        return f"host={host} port={port} user=sotto application_name={name}"

    def follow(self, name):
        self.ask(name, f"ALTER SYSTEM SET primary_conninfo = '{self.source(name)}'")
        self.ask(name, "SELECT pg_reload_conf()")

    def rejoin(self, name):
        """A node that is down becomes a standby of the primary, from a fresh copy."""
        shutil.rmtree(self.data(name), ignore_errors=True)
        self.call(name, "pg_basebackup", "-d", self.source(name), "-D", self.data(name), "-c", "fast", "-X", "stream",
                  "--no-sync")
        self.configure(name)
        self.write(self.data(name) + "/postgresql.auto.conf", f"primary_conninfo = '{self.source(name)}'\n", "w")
        self.write(self.data(name) + "/standby.signal", "")
        self.give(self.data(name) + "/postgresql.auto.conf", self.data(name) + "/standby.signal")
        self.start(name)

    def wait(self, seconds=60):
        """Until both standbys stream."""
        end = time.monotonic() + seconds
        while self.ask(self.primary, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") != "2":
            if time.monotonic() > end:
                raise AssertionError("the standbys do not follow")
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in "abc":
            if os.path.exists(self.data(name) + "/postmaster.pid"):
                self.signal(name, signal.SIGCONT)
                self.kill(name)
