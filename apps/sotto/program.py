"""The program under test. Every test file is run as FILE SOTTO."""
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SOTTO = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
MAGIC = b"SOTTO-STATE-1\n"


def run(*arguments, stdin="", timeout=300, **options):
    return subprocess.run([SOTTO, *arguments], input=stdin, capture_output=True, text=True, timeout=timeout,
                          **options)


def audit_models(*arguments):
    """The audit of every model, sotto/testing/model_audit, built beside the program."""
    return subprocess.run([os.path.join(os.path.dirname(SOTTO), "audit_models"), *arguments], capture_output=True,
                          text=True)


def start(*arguments, **options):
    """A process to talk to, line by line."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([SOTTO, *arguments], text=True, **{**pipes, **options})


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def wait_until(holds, seconds=120):
    """Fails if it does not come to hold in far more time than it needs."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.02)


def text(name):
    """A text as states hold it."""
    return struct.pack("<Q", len(name)) + name


class LineState:
    """A state of count, monitor or quantile, taken apart: docs/formats/state.md."""

    def __init__(self, path):
        content = read(path)
        assert content.startswith(MAGIC)
        place = len(MAGIC)
        size = struct.unpack_from("<Q", content, place)[0]
        self.kind = content[place + 8:place + 8 + size]
        place += 8 + size
        self.version, size = struct.unpack_from("<IQ", content, place)
        self.payload = content[place + 12:place + 12 + size]
        settings = struct.unpack_from("<Q", self.payload)[0]
        self.settings = self.payload[8:8 + settings]
        place = 8 + settings
        key = struct.unpack_from("<Q", self.payload, place)[0]
        self.lines = struct.unpack_from("<Q", self.payload, place + 8 + key + 1)[0]

    def write(self, path, payload):
        """Another payload, under a checksum that fits it."""
        body = MAGIC + text(self.kind) + struct.pack("<I", self.version) + text(payload)
        write(path, body + hashlib.blake2b(body, digest_size=32).digest())


class FolderTest(unittest.TestCase):
    """A folder of the test's own."""

    def setUp(self):
        # In memory, where syncing costs nothing.
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def files(self):
        return sorted(os.listdir(self.folder.name))


def main():
    unittest.main()
