# SPDX-License-Identifier: Apache-2.0
"""Which layer each cycle of a run belongs to, counted again from `commands` of its JSON report alone.

The rules are those of docs/reference/report.md ("Which layer a cycle belongs to"), written down a second time: nothing here
knows how the simulator counts."""

import dataclasses

COMPUTE = ("mac_array", "vector_unit")


@dataclasses.dataclass
class Layer:
    attributed_cycles: int = 0
    first_cycle: int = -1
    last_cycle: int = -1
    working_cycles: int = 0
    in_flight_cycles: int = 0


def commands_at_work(commands):
    """Array and vector commands, DMA that writes outside, and all DMA of layers without an array or vector command."""
    computing = {command["layer_idx"] for command in commands if command["unit"] in COMPUTE}
    return [command for command in commands
            if command["unit"] in COMPUTE
            or (command["unit"] == "dma" and (command["external_write_bytes"] > 0 or command["layer_idx"] not in computing))]


def covered(commands):
    """Cycles in which at least one of them was in flight."""
    total, until = 0, 0
    for command in sorted(commands, key=lambda one: one["start_cycle"]):
        total += max(0, command["end_cycle"] - max(command["start_cycle"], until))
        until = max(until, command["end_cycle"])
    return total


def last_of(at_work):
    """The one that ended last; of several the one that started last, then that of the highest layer."""
    return max(at_work, key=lambda one: (one["end_cycle"], one["start_cycle"], one["layer_idx"]))


def owners(commands, cycles):
    """(first cycle, one past the last, layer_idx, whether that layer was at work then), in order, from 0 to `cycles`."""
    at_work = sorted(commands_at_work(commands), key=lambda one: (one["start_cycle"], one["layer_idx"]))
    if not at_work:
        yield 0, cycles, commands[-1]["layer_idx"], False
        return
    edges = sorted({0, cycles, *(one["start_cycle"] for one in at_work), *(one["end_cycle"] for one in at_work)})
    last, coming, running = last_of(at_work), 0, []
    for begin, end in zip(edges, edges[1:]):
        running = [one for one in running if one["end_cycle"] > begin]
        while coming < len(at_work) and at_work[coming]["start_cycle"] <= begin:
            running.append(at_work[coming])
            coming += 1
        if running:
            yield begin, end, min(one["layer_idx"] for one in running), True
        elif coming < len(at_work):
            yield begin, end, at_work[coming]["layer_idx"], False
        else:
            yield begin, end, last["layer_idx"], False


def attribute(report):
    """A Layer for each of report["layers"]."""
    commands, layers = report["commands"], [Layer() for _ in report["layers"]]
    for begin, end, layer, _ in owners(commands, report["totals"]["cycles"]):
        layers[layer].attributed_cycles += end - begin
    at_work = commands_at_work(commands)
    own_work, own = [[] for _ in layers], [[] for _ in layers]
    for command in at_work:
        own_work[command["layer_idx"]].append(command)
    for command in commands:
        if command["unit"] != "command_processor":  # END
            own[command["layer_idx"]].append(command)
    for layer, work, all_of_it in zip(layers, own_work, own):
        layer.working_cycles, layer.in_flight_cycles = covered(work), covered(all_of_it)
        if work:
            layer.first_cycle = min(one["start_cycle"] for one in work)
            layer.last_cycle = max(one["end_cycle"] for one in work)
    return layers


def differences(report):
    """A text for each number of report["layers"] that is another than the one counted here."""
    for index, (found, expected) in enumerate(zip(report["layers"], attribute(report), strict=True)):
        for field in dataclasses.fields(Layer):
            counted = getattr(expected, field.name)
            if counted >= 0 and found[field.name] != counted:
                yield f"layer {index}: {field.name} is {found[field.name]}, its commands give {counted}"
    at_work = commands_at_work(report["commands"])
    if at_work and report["commands"][-1]["layer_idx"] != last_of(at_work)["layer_idx"]:
        yield f"END belongs to layer {report['commands'][-1]['layer_idx']}, not to {last_of(at_work)['layer_idx']}"
