# SPDX-License-Identifier: Apache-2.0
"""Files of transactions (FTR) read back. Standard library only: CBOR is decoded here; tests/live/ftr_test.py reads with the crate
ftr_parser, whose lines parse_lines() takes."""

import collections

Transactions = collections.namedtuple("Transactions", "streams transactions relations")  # streams: {name: kind}
Transaction = collections.namedtuple("Transaction", "path start end attributes")  # path: "stream.generator"; times in cycles
Relation = collections.namedtuple("Relation", "name source sink")  # ids
NANOSECONDS = -9  # a power of ten; a cycle is a nanosecond
KINDS = {2: int, 10: str}


class Break(Exception):
    pass


Tag = collections.namedtuple("Tag", "number value")


class Decoder:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        piece = self.data[self.at:self.at + size]
        assert len(piece) == size, "the file ends within an item"
        self.at += size
        return piece

    def item(self):
        [head] = self.take(1)
        major, short = head >> 5, head & 31
        if head == 0xFF:
            raise Break
        is_open = short == 31
        value = short if short < 24 or is_open else int.from_bytes(self.take(1 << (short - 24)), "big")
        if major == 0:
            return value
        if major == 1:
            return -1 - value
        if major == 2:
            return self.take(value)
        if major == 3:
            return self.take(value).decode()
        if major == 4:
            return self.open_list() if is_open else [self.item() for _ in range(value)]
        if major == 5:
            return {self.item(): self.item() for _ in range(value)}
        assert major == 6, f"major type {major}"
        return Tag(value, self.item())

    def open_list(self):
        items = []
        try:
            while True:
                items.append(self.item())
        except Break:
            return items

    def whole(self):
        item = self.item()
        assert self.at == len(self.data), "bytes behind the end"
        return item


def read(data):
    """Chunks in any order: texts first."""
    document = Decoder(data).whole()
    assert document.number == 55799
    chunks = [(chunk.number, chunk.value) for chunk in document.value]
    assert {number for number, _ in chunks} <= {6, 8, 10, 12, 14}, "chunks that are not compressed"
    [info] = [Decoder(value).whole() for number, value in chunks if number == 6]
    assert info == [NANOSECONDS, Tag(1, 0)], info
    texts = {}
    for number, value in chunks:
        if number == 8:
            texts.update(Decoder(value).whole())
    streams, generators, found = {}, {}, {}
    for number, value in chunks:
        for tag in Decoder(value).whole() if number == 10 else ():
            number_of_entry, name, what = tag.value
            if tag.number == 16:
                assert number_of_entry not in streams
                streams[number_of_entry] = (texts[name], texts[what])
            else:
                assert tag.number == 17 and number_of_entry not in generators
                generators[number_of_entry] = (what, f"{streams[what][0]}.{texts[name]}")
    stream_of = {}
    for number, value in chunks:
        if number == 12:
            _add_block(value, texts, generators, found, stream_of)
    relations = []
    for number, value in chunks:
        for name, source, sink, from_stream, to_stream in Decoder(value).whole() if number == 14 else ():
            assert (stream_of[source], stream_of[sink]) == (from_stream, to_stream)
            relations.append(Relation(texts[name], source, sink))
    return Transactions(dict(streams.values()), found, relations)


def _add_block(value, texts, generators, found, stream_of):
    stream, begin, end, content = value
    last, bounds = 0, []
    for transaction in Decoder(content).whole():
        event, *attributes = transaction
        number, generator, start, stop = event.value
        assert event.number == 6 and generators[generator][0] == stream and number not in found
        assert last <= start <= stop, "transactions of a stream stand in order"
        last = start
        bounds += [start, stop]
        named = {}
        for attribute in attributes:
            name, kind, content_of = attribute.value
            assert attribute.number == 8
            named[texts[name]] = texts[content_of] if KINDS[kind] is str else content_of
        assert len(named) == len(attributes)
        found[number] = Transaction(generators[generator][1], start, stop, named)
        stream_of[number] = stream
    assert (begin, end) == (min(bounds), max(bounds))


def parse_lines(text):
    """What tests/live/ftr_reader prints."""
    streams, names, generators, found, relations, current = {}, {}, {}, {}, [], None
    for line in text.splitlines():
        kind, *fields = line.split("\t")
        if kind == "stream":
            names[fields[0]] = fields[1]
            streams[fields[1]] = fields[2]
        elif kind == "generator":
            generators[fields[0]] = f"{names[fields[1]]}.{fields[2]}"
        elif kind == "transaction":
            current = Transaction(generators[fields[1]], int(fields[2]), int(fields[3]), {})
            found[int(fields[0])] = current
        elif kind == "attribute":
            name, value_kind, value = fields
            current.attributes[name] = int(value) if value_kind == "int" else value
        elif kind == "relation":
            relations.append(Relation(fields[0], int(fields[1]), int(fields[2])))
    return Transactions(streams, found, relations)
