"""Where the machines of a test cluster stand: on loopback, or each in a network namespace of its own.

    enter()                               # the program starts again where it may make networks
    network = Namespaces(["a", "b"])
    network.address("a")                  # reached from b, and from a itself
    subprocess.run([*network.inside("a"), "ip", "address"])
    network.cut({"a"}); network.heal()    # packets between a and the others vanish

Needs no privileges where users may make namespaces. Nothing leaves the machine: the namespaces are
connected with each other and with nothing else.
"""
import os
import subprocess
import sys

MARK = "SOTTO_TEST_NETWORK"
ADDRESS = "192.0.2.{}"  # for documentation and examples: nobody has it (RFC 5737)
NETWORK = "192.0.2.0/24"
SIDES = ("side0", "side1")


def unshare():
    """The command that runs another one in a network of its own."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "--mount", "--"]


def possible():
    """True if the program may start again, or has, in a network of its own."""
    if MARK in os.environ:
        return True
    tried = "mount -t tmpfs none /run && mkdir /run/netns && ip netns add a && ip link add br0 type bridge"
    try:
        return subprocess.run([*unshare(), "sh", "-c", tried], capture_output=True).returncode == 0
    except OSError:
        return False


def enter():
    """Starts the program again, in a network of its own. Returns there."""
    if MARK not in os.environ:
        kind = "root" if os.geteuid() == 0 else "user"
        os.execvpe("unshare", [*unshare(), *sys.orig_argv], dict(os.environ, **{MARK: kind}))


def database_user():
    """The command that runs PostgreSQL's programs as an unprivileged user, if the caller is none."""
    if os.environ.get(MARK) == "user":  # root here only by name
        return ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


class Loopback:
    """Everything on 127.0.0.1."""

    network = "127.0.0.1/32"

    def address(self, _name):
        return "127.0.0.1"

    def inside(self, _name):
        return []


class Namespaces:
    """A namespace for each name; all are plugged into one of two switches."""

    network = NETWORK

    def __init__(self, names):
        self.numbers = {name: number for number, name in enumerate(names, 1)}
        self.call("mount", "-t", "tmpfs", "none", "/run")
        self.ip("link set lo up")
        for side in SIDES:
            self.ip(f"link add {side} type bridge")
            self.ip(f"link set {side} up")
        for name in names:
            self.add(name)

    @staticmethod
    def call(*command):
        subprocess.run(command, check=True)

    def ip(self, arguments):
        self.call("ip", *arguments.split())

    def add(self, name):
        self.ip(f"netns add {name}")
        self.ip(f"link add {self.port(name)} type veth peer name eth0 netns {name}")
        self.ip(f"-n {name} address add {self.address(name)}/24 dev eth0")
        for device in ("lo", "eth0"):
            self.ip(f"-n {name} link set {device} up")
        self.ip(f"link set {self.port(name)} master {SIDES[0]} up")

    def port(self, name):
        return f"port{self.numbers[name]}"

    def address(self, name):
        return ADDRESS.format(self.numbers[name])

    def inside(self, name):
        """The command that runs another one on that machine."""
        return ["nsenter", f"--net=/run/netns/{name}", "--"]

    def cut(self, names):
        for name in names:
            self.ip(f"link set {self.port(name)} master {SIDES[1]}")

    def heal(self):
        for name in self.numbers:
            self.ip(f"link set {self.port(name)} master {SIDES[0]}")
