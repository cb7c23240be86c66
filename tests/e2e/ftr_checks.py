# SPDX-License-Identifier: Apache-2.0
"""Transactions against the report of the same run, whoever has read the file."""

import collections
import re

import timeline_checks

QUEUE_PATHS = {"mac": "npu.mac_array.command", "vec": "npu.vector_unit.command", "dma0": "npu.dma.channel0.command",
               "dma1": "npu.dma.channel1.command"}
FETCH = "npu.command_processor.fetch"


def check(test, transactions, report):
    """Fails `test` where the two differ."""
    by_path = collections.defaultdict(dict)
    for number, transaction in transactions.transactions.items():
        by_path[transaction.path][number] = transaction
    commands = _commands(test, by_path, report)
    _fetches(test, by_path, report)
    _tokens(test, by_path, transactions, report, commands)
    _bursts(test, by_path, report)


def _commands(test, by_path, report):
    """{command_idx: id}: one transaction a command, with its cycles and bytes."""
    started = [c for c in report["commands"] if c["unit"] != "command_processor"]
    found = {t.attributes["command_idx"]: (number, t) for path in QUEUE_PATHS.values() for number, t in by_path[path].items()}
    test.assertEqual(sum(len(by_path[path]) for path in QUEUE_PATHS.values()), len(started))
    for c in started:
        _, t = found[c["command_idx"]]
        test.assertEqual((t.path, t.start, t.end), (QUEUE_PATHS[c["queue"]], c["start_cycle"], c["end_cycle"]), c)
        test.assertEqual({name: t.attributes[name] for name in timeline_checks.SAME},
                         {name: c[name] for name in timeline_checks.SAME})
        test.assertEqual(t.attributes["busy_cycles"], c["busy_cycles"], c)
        test.assertEqual(timeline_checks.split(t.attributes, "stall"), c["stall_cycles"], c)
        test.assertEqual(timeline_checks.split(t.attributes, "wait"), c["wait_cycles"], c)
    return {index: number for index, (number, _) in found.items()}


def _fetches(test, by_path, report):
    fetches = [(t.attributes["command_idx"], t.end) for t in by_path[FETCH].values()]
    test.assertEqual(sorted(fetches), [(c["command_idx"], c["dispatch_cycle"]) for c in report["commands"]])


def _tokens(test, by_path, transactions, report, commands):
    """As many tokens as the printed commands wait for; each leads from its giver, at whose end it begins, to who waited, at whose
    start it ends."""
    tokens = {number: t for path, found in by_path.items() if path.startswith("npu.token_bank.") for number, t in found.items()}
    waits = 0
    for path in QUEUE_PATHS.values():
        for t in by_path[path].values():
            match = re.search(r" wait=(\S+)", t.attributes["instruction"])
            waits += len(match[1].split("+")) if match else 0
    test.assertEqual(len(tokens), waits)
    of = {c["command_idx"]: c for c in report["commands"]}
    related = collections.defaultdict(set)
    for relation in transactions.relations:
        related[relation.name].add((relation.source, relation.sink))
    for number, t in tokens.items():
        giver, taker = of[t.attributes["giver_command_idx"]], of[t.attributes["taker_command_idx"]]
        test.assertEqual(t.path, f"npu.token_bank.{giver['queue']}_to_{taker['queue']}")
        test.assertEqual((t.start, t.end), (giver["end_cycle"], taker["start_cycle"]))
        from_id, to_id = commands[giver["command_idx"]], commands[taker["command_idx"]]
        test.assertIn((from_id, to_id), related["token"])
        test.assertIn((from_id, number), related["gives"])
        test.assertIn((number, to_id), related["starts"])
    test.assertEqual((len(related["gives"]), len(related["starts"])), (waits, waits))
    test.assertEqual(len(related["issues"]), len(commands))
    for source, sink in related["data"]:
        test.assertLessEqual(transactions.transactions[source].end, transactions.transactions[sink].start)


def _bursts(test, by_path, report):
    """Their bytes are those of the report; the DMA's are whole bursts, and last as long as their command, which has no drain."""
    burst_bytes = report["config"]["external_burst_bytes"]
    fetches = {t.attributes["command_idx"]: t for t in by_path[FETCH].values()}
    for direction in ("read", "write"):
        groups = by_path[f"npu.external.{direction}"].values()
        test.assertEqual(sum(t.attributes["bytes"] for t in groups), report["totals"][f"external_{direction}_bytes"])
        for t in groups:
            if "bursts" in t.attributes:
                c = report["commands"][t.attributes["command_idx"]]
                test.assertEqual((t.start, t.end), (c["start_cycle"], c["end_cycle"]), t)
                test.assertEqual(t.attributes["bursts"] * burst_bytes, t.attributes["bytes"], t)
            else:
                fetch = fetches[t.attributes["command_idx"]]
                test.assertEqual(t.start, fetch.start, t)
                test.assertLessEqual(t.end, fetch.end, t)
