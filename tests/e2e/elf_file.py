# SPDX-License-Identifier: Apache-2.0
"""Writes firmware of the control CPU as ELF files, with the standard library only; the project's own firmware, and changes of it."""

import dataclasses
import pathlib
import re
import struct

IMAGE = pathlib.Path(__file__).resolve().parents[2] / "firmware" / "image" / "job_server.hex"
FIRMWARE, RAM = 0x10010000, 0x10020000
CONSOLE_PAGE = 0x10032
LOAD, SYMBOL_TABLE, STRINGS, FUNCTION, CODE = 1, 2, 3, 2, 6


@dataclasses.dataclass
class Segment:
    address: int
    data: bytes = b""
    memory_bytes: int = None  # those of data when absent
    run_address: int = None   # the address when absent


@dataclasses.dataclass
class Elf:
    """The bytes of a file are `bytes(elf)`. `symbols` are (name, address, bytes) of functions."""

    segments: list
    symbols: list = ()
    entry: int = FIRMWARE
    magic: bytes = b"\x7fELF"
    bits: int = 1
    endian: int = 1
    machine: int = 243
    kind: int = 2

    def __bytes__(self):
        table = 52
        offset = table + 32 * len(self.segments)
        rows, contents = b"", b""
        for one in self.segments:
            size = len(one.data) if one.memory_bytes is None else one.memory_bytes
            run_address = one.address if one.run_address is None else one.run_address
            rows += struct.pack("<8I", LOAD, offset + len(contents), run_address, one.address, len(one.data), size, 7, 4)
            contents += one.data
        sections, after = self._sections(offset + len(contents))
        contents += after
        section_table = offset + len(contents) if sections else 0
        ident = self.magic + bytes([self.bits, self.endian, 1]) + bytes(9)
        head = ident + struct.pack("<HHIIIIIHHHHHH", self.kind, self.machine, 1, self.entry, table, section_table, 0, 52, 32,
                                   len(self.segments), 40, len(sections) // 40, 0)
        return head + rows + contents + sections

    def _sections(self, offset):
        """(the table of sections, what they hold): code, symbols and their names."""
        if not self.symbols:
            return b"", b""
        names, symbols = b"\0", bytes(16)
        for name, address, size in self.symbols:
            symbols += struct.pack("<IIIBBH", len(names), address, size, FUNCTION, 0, 1)
            names += name.encode() + b"\0"
        rows = bytes(40) + struct.pack("<10I", 0, 1, CODE, FIRMWARE, 0, 0, 0, 0, 4, 0)
        rows += struct.pack("<10I", 0, SYMBOL_TABLE, 0, 0, offset, len(symbols), 3, 1, 4, 16)
        rows += struct.pack("<10I", 0, STRINGS, 0, 0, offset + len(symbols), len(names), 0, 0, 1, 0)
        return rows, symbols + names


def own_image():
    """The bytes of the firmware that is built in."""
    words = [word for line in IMAGE.read_text(encoding="ascii").splitlines() if not line.startswith("#") for word in line.split()]
    return b"".join(struct.pack("<I", int(word, 16)) for word in words)


def own_sha256():
    return re.search("^# sha256 (.*)$", IMAGE.read_text(encoding="ascii"), re.MULTILINE).group(1)


def own():
    return Elf([Segment(FIRMWARE, own_image())])


def lui(rd, page):
    return page << 12 | rd << 7 | 0x37


def addi(rd, rs1, value):
    return (value & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def sw(rs2, rs1, offset):
    return (offset >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23


def jal(rd, offset):
    return (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 | (offset >> 12 & 255) << 12 | rd << 7 | 0x6F


WFI = 0x10500073


def code(words):
    return struct.pack(f"<{len(words)}I", *words)


def printing(text):
    """Instructions that write a text to the console; they change x5 and x6."""
    words = [lui(5, CONSOLE_PAGE)]
    for character in text.encode():
        words += [addi(6, 0, character), sw(6, 5, 0)]
    return words


def own_after(words):
    """The project's own firmware, which executes these instructions first."""
    image = own_image()
    (first,) = struct.unpack_from("<I", image)
    assert first & 0x7F == 0x17, "the first instruction is auipc"
    # At a multiple of 4096, `auipc rd, n` gives what `lui rd, n + pc / 4096` gives anywhere.
    moved = first & ~0x7F & 0xFFFFFFFF
    moved = (moved + FIRMWARE) & 0xFFFFF000 | first & 0xF80 | 0x37
    place = -(-len(image) // 4) * 4
    words = [*words, moved]
    words.append(jal(0, 4 - (place + 4 * len(words))))
    return Elf([Segment(FIRMWARE, code([jal(0, place)]) + image[4:] + bytes(place - len(image)) + code(words))])
