# SPDX-License-Identifier: Apache-2.0
"""A debugger of the control CPU for tests: GDB's Remote Serial Protocol over a socket, standard library only."""

import re
import socket
import struct

PC = 32
FIRST_CSR = 65
LONGEST_SECONDS = 60


class Gone(Exception):
    """The program has closed the connection."""


def packet(payload):
    return b"$" + payload + b"#%02x" % (sum(payload) & 255)


class Debugger:
    """Of a program that was started with `--gdb`, whose standard error says on which port it waits."""

    def __init__(self, process):
        self.said = []  # lines of standard error up to the port
        while not self.said or not self.said[-1].startswith("gdb: waiting"):
            line = process.stderr.readline().decode()
            if not line:
                raise Gone("".join(self.said))
            self.said.append(line)
        (self.port,) = re.fullmatch(r"gdb: waiting on 127\.0\.0\.1:(\d+), connect with: target remote :\1\n", self.said[-1]).groups()
        self._socket = socket.create_connection(("127.0.0.1", int(self.port)), timeout=LONGEST_SECONDS)
        self._left = b""
        self._acknowledges = True
        assert self.ask("QStartNoAckMode") == "OK"
        self._acknowledges = False

    def close(self):
        self._socket.close()

    def send_raw(self, data):
        self._socket.sendall(data)

    def send(self, payload):
        self.send_raw(packet(payload.encode()))

    def _byte(self):
        if not self._left:
            self._left = self._socket.recv(4096)
            if not self._left:
                raise Gone
        first, self._left = self._left[:1], self._left[1:]
        return first

    def receive(self):
        """The next payload; its checksum is right."""
        while (start := self._byte()) != b"$":
            assert start == b"+" and self._acknowledges, start
        payload = b""
        while (byte := self._byte()) != b"#":
            payload += byte
        assert int(self._byte() + self._byte(), 16) == sum(payload) & 255, payload
        if self._acknowledges:
            self.send_raw(b"+")
        if payload.startswith(b"W"):  # the end, as GDB takes it
            self.close()
        return payload.decode("latin-1")

    def ask(self, payload):
        self.send(payload)
        return self.receive()

    def do(self, payload):
        reply = self.ask(payload)
        assert reply == "OK", f"{payload}: {reply}"

    def register(self, number):
        return struct.unpack("<I", bytes.fromhex(self.ask(f"p{number:x}")))[0]

    def set_register(self, number, value):
        self.do(f"P{number:x}={struct.pack('<I', value).hex()}")

    def pc(self):
        return self.register(PC)

    def memory(self, address, size):
        return bytes.fromhex(self.ask(f"m{address:x},{size:x}"))

    def word(self, address):
        return struct.unpack("<I", self.memory(address, 4))[0]

    def set_word(self, address, value):
        self.do(f"M{address:x},4:{struct.pack('<I', value).hex()}")

    def cycle(self):
        text = bytes.fromhex(self.ask("qRcmd," + b"cycles".hex())).decode()
        return int(re.fullmatch(r"cycle (\d+), \d+ instructions since the release of the control CPU\n", text).group(1))
