# SPDX-License-Identifier: Apache-2.0
"""Damages files: blind edits of bytes; numbers of a package put out of range where its format has them; JSON with other
values, keys and places."""

import json
import re
import struct
import zlib

NUMBERS = (0, 1, 2, 3, 6, 7, 8, 16, 64, 127, 128, 255, 256, 1000, 4096, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF,
           0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF)
CODES = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
CONTENTS = 12  # of a package: magic, version, checksum


def mended(package):
    """The package with the checksum that its bytes ask for, as package::mend_checksum makes it."""
    if len(package) < CONTENTS:
        return package
    checksum = zlib.crc32(package[CONTENTS:], zlib.crc32(package[:8]))
    return package[:8] + struct.pack("<I", checksum) + package[CONTENTS:]


def put_number(rng, data, start, width):
    """Writes a number over the one at `start`: a notable one, or one near the old."""
    if start < 0 or start + width > len(data):
        return
    old = struct.unpack_from(CODES[width], data, start)[0]
    new = rng.choice(NUMBERS) if rng.random() < 0.6 else old + rng.choice((-1, 1, -8, 8, old, -(old // 2)))
    struct.pack_into(CODES[width], data, start, new % (1 << (8 * width)))


def flip_bit(rng, data, _others):
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def set_byte(rng, data, _others):
    data[rng.randrange(len(data))] = rng.randrange(256)


def set_number(rng, data, _others):
    width = rng.choice((1, 2, 4, 4, 8))
    put_number(rng, data, rng.randrange(len(data)) // width * width, width)


def truncate(rng, data, _others):
    del data[rng.randrange(len(data)):]


def chunk_of(rng, data):
    start = rng.randrange(len(data))
    return start, min(len(data), start + rng.choice((1, 4, 8, 32, 200, len(data))))


def remove(rng, data, _others):
    start, end = chunk_of(rng, data)
    del data[start:end]


def repeat(rng, data, _others):
    start, end = chunk_of(rng, data)
    data[start:start] = data[start:end]


def move(rng, data, _others):
    start, end = chunk_of(rng, data)
    chunk = data[start:end]
    to = rng.randrange(len(data))
    data[to:to + len(chunk)] = chunk


def splice(rng, data, others):
    other = rng.choice(others)
    start, end = chunk_of(rng, other)
    to = rng.randrange(len(data))
    data[to:to + (end - start if rng.random() < 0.5 else 0)] = other[start:end]


EDITS = (flip_bit, flip_bit, set_byte, set_number, set_number, set_number, truncate, remove, repeat, move, splice)


def blindly(rng, content, others):
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        if data:
            rng.choice(EDITS)(rng, data, others)
    return bytes(data)


class Fields:
    """The places of a package's numbers, (start, width), in the order of hw/package/package_reader.cpp; `stream` is where
    the commands lie, `source` where the network does."""

    def __init__(self, data):
        self.data, self.at, self.places = data, CONTENTS, []
        self.blob(), self.blob(), self.number(8)
        self.blob(), self.blob()
        for width in (8, 8, 8, 8, 8, 8, 1, 8, 1, 1):
            self.number(width)
        self.items(self.blob)
        self.address()
        self.stream = self.blob()
        flow_begin = self.at
        self.items(lambda: (self.number(8), self.number(8), self.number(4)))
        self.items(lambda: (self.number(1), self.number(4), self.address(), self.number(4)))
        self.address()
        self.number(8)
        self.flow = flow_begin, self.at
        self.items(lambda: (self.address(), self.blob()))
        self.items(lambda: (self.blob(), self.number(1), self.numbers(8), self.placement()))
        self.numbers(4), self.numbers(4)
        self.items(lambda: (self.blob(), self.number(1), self.number(1), self.numbers(8), self.blob(), self.number(4), self.number(4)))
        self.items(lambda: (self.blob(), self.items(self.blob), self.number(8), self.blob(), self.numbers(8), self.numbers(8),
                            self.number(8)))
        self.numbers(4)
        self.items(lambda: (self.number(4), self.number(4), self.numbers(8), self.numbers(8), self.numbers(8),
                            self.placement()))
        self.items(lambda: (self.blob(), self.blob()))
        self.items(lambda: (self.blob(), self.number(1), *(self.number(8) for _ in range(4))))
        for _ in range(8):
            self.number(8)
        for _ in range(2):  # the boundary's inputs and outputs
            self.items(self.boundary_end)
        self.source = self.blob()
        if self.at != len(data):
            raise ValueError("the format of packages is not the one that is known here")

    def number(self, width):
        self.places.append((self.at, width))
        self.at += width
        return struct.unpack_from(CODES[width], self.data, self.at - width)[0]

    def blob(self):
        size = self.number(8)
        self.at += size
        return self.at - size, self.at

    def items(self, read):
        for _ in range(self.number(8)):
            read()

    def numbers(self, width):
        self.items(lambda: self.number(width))

    def address(self):
        self.number(1), self.number(8)

    def boundary_end(self):
        self.blob(), self.number(1), self.number(1), self.number(4), self.number(8)
        if self.number(1):  # a rounding rule
            self.number(1), self.number(8), self.number(8)
        self.items(lambda: (self.number(4), self.number(8)))
        self.number(8)
        if self.number(1):  # a range
            self.number(1), self.number(1), self.number(1), self.number(4), self.number(8)
            self.items(lambda: (self.number(4), self.number(4)))
        self.items(lambda: (self.number(1), self.blob(), self.numbers(8), self.numbers(4), self.numbers(8), self.numbers(8)))
        self.items(self.blob)
        self.numbers(8)
        self.number(1), self.number(1)

    def placement(self):
        self.address(), self.numbers(8), self.number(8), self.number(8)


RUN, IF, ELSE, LOOP, WHILE, END = range(6)
FREE_TABLE = 0x7FFF0000  # where no package has anything


def with_flow(rng, content):
    """The package with control flow: its stream runs alone, in a branch, and in a loop, or after drawn steps."""
    (begin, end), (flow_begin, flow_end) = Fields(content).stream, Fields(content).flow
    kinds = [RUN, IF, RUN, ELSE, END, LOOP, RUN, WHILE, END]
    if rng.random() < 0.3:
        kinds = [rng.randrange(6) for _ in range(rng.randrange(30))]
    streams = struct.pack("<Qqqi", 1, 0, end - begin, 0)
    steps = b"".join(struct.pack("<BiBQi", kind, 0, rng.randrange(2), rng.randrange(1 << 16), -1) for kind in kinds)
    flow = streams + struct.pack("<Q", len(kinds)) + steps + struct.pack("<BQq", 1, FREE_TABLE, rng.choice((0, 100)))
    return content[:flow_begin] + flow + content[flow_end:]


def knowingly(rng, content):
    """A package with a few numbers changed: of its tables, in its command stream, or in its network. Of some, control flow is
    made first."""
    if rng.random() < 0.3:
        content = with_flow(rng, content)
        if rng.random() < 0.2:
            return content
    data, fields = bytearray(content), Fields(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start, end = rng.choice((fields.stream, fields.source, (0, 0)))
        if start == end:
            put_number(rng, data, *rng.choice(fields.places))
        elif rng.random() < 0.5:
            put_number(rng, data, rng.randrange(start, end) // 4 * 4 + start % 4, rng.choice((1, 2, 4)))
        else:
            data[rng.randrange(start, end)] ^= 1 << rng.randrange(8)
    return bytes(data)


JSON_VALUES = (0, 1, -1, 3, 17, 31, 32, 64, 0.5, -0.5, 1e-46, 1e-38, 1e38, 1e300, -1e300, 2 ** 31, 2 ** 63, -(2 ** 63), 2 ** 70, float("nan"),
               float("inf"), None, True, False, "", "True", "x", "INT", "FLOAT", "PER_CHANNEL", "int8", "uint32", "2.0.0", "0.6.9",
               "\u0000", "\u201c", [], [[]], [1, 2], [1] * 300, {}, {"input": {}}, {"": 1})


def _places(value, found):
    """Each (holder, key or index) of a JSON tree."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        found.append((value, key))
        _places(value[key], found)
    return found


def _edit_json(rng, root):
    holder, key = rng.choice(_places(root, []))
    kind = rng.random()
    if kind < 0.5:
        holder[key] = json.loads(json.dumps(rng.choice(JSON_VALUES)))
    elif kind < 0.6 and isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
        holder[key] *= rng.choice((-1, 2, 0.5, 1.1, 1 + 1e-6, 1e10))
    elif kind < 0.75:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), json.loads(json.dumps(holder[key])))
    else:
        other, place = rng.choice(_places(root, []))
        name = place if isinstance(place, str) else "key"
        holder[name] = json.loads(json.dumps(other[place]))


def json_knowingly(rng, content):
    """JSON text with a few of its values, keys or places changed; now and then a key twice, or very deep."""
    root = json.loads(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        if _places(root, []):
            _edit_json(rng, root)
    text = json.dumps(root, indent=rng.choice((None, 1)))
    kind = rng.random()
    if kind < 0.03:
        text = text.replace("{", '{"version": "1.0.0",', 1)
    elif kind < 0.06:
        text = text.replace("[", "[" * rng.choice((2, 31, 40, 20000)), 1)
    elif kind < 0.09:
        text = text.replace("8", "8" * rng.choice((2, 30, 5000)), 1)
    return text.encode("utf-8", "surrogatepass")


TEXT_TOKENS = re.compile(r'"[^"\n]*"|[%#!^@]?[A-Za-z_0-9.$-]+|\n *|.', re.DOTALL)
TEXT_VALUES = ("0", "-1", "1", "?", "*", "2147483648", "9223372036854775808", "-9223372036854775809", "1.5", "0x", "\"0x\"", "\"", "%0",
               "%0#1", "#loc", "i8", "ui8", "i48", "i7", "f32", "index", "tensor<", "!tosa.shape<2>", "dense<", "array<i64: 1>", "loc(",
               "unknown", "true", "{", "}", "(", ")", "[", "]", "<", ">", "->", ":", ",", "=", "//", "\0", "\u00e9")


def _edit_tokens(rng, tokens):
    kind, place = rng.random(), rng.randrange(len(tokens))
    if kind < 0.25:
        tokens[place] = rng.choice(TEXT_VALUES)
    elif kind < 0.45:
        tokens[place] = rng.choice(tokens)
    elif kind < 0.6:
        del tokens[place]
    elif kind < 0.75:
        tokens.insert(place, rng.choice(TEXT_VALUES))
    elif kind < 0.97:  # a line more, a line less, or lines in another order
        lines = "".join(tokens).split("\n")
        line = lines.pop(rng.randrange(len(lines))) if rng.random() < 0.7 else rng.choice(lines)
        if rng.random() < 0.6:
            lines.insert(rng.randrange(len(lines) + 1), line)
        tokens[:] = TEXT_TOKENS.findall("\n".join(lines))
    else:
        tokens[place] = tokens[place] * rng.choice((2, 40, 20000))


def text_knowingly(rng, content):
    """Text with a few of its words, numbers, brackets or lines changed."""
    tokens = TEXT_TOKENS.findall(content.decode("utf-8"))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        if tokens:
            _edit_tokens(rng, tokens)
    return "".join(tokens).encode("utf-8")
