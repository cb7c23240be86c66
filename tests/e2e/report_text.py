# SPDX-License-Identifier: Apache-2.0
# Long because: one function for each part of the text report.
"""Whether the text report says what the JSON report of the same run says: every word and number of it, except for the
seconds of the host.

findings(text, report) makes the text anew from the JSON report, and returns what differs. Widths change where lines break,
which columns are shown, and where names are cut; nothing else."""

import math
import re

MOST_SHOWN_BOUND_PERCENT = 20  # a larger bound is in the JSON report alone
OPERATOR_SHORT = {"DEPTHWISE_CONV2D": "DEPTHWISE", "TRANSPOSE_CONV2D": "TRANSPOSE_CONV"}
PORTS = {"sram_read": "SRAM read", "sram_write": "SRAM write", "external_read": "external read",
         "external_write": "external write", "external_both": "external, both"}


class Any:
    """One of several texts."""

    def __init__(self, *texts):
        self.texts = [text if hasattr(text, "fits") else Whole(text) for text in texts]

    def fits(self, found):
        return any(text.fits(found) for text in self.texts)


class Whole:
    def __init__(self, text):
        self.text = printable(text)

    def fits(self, found):
        return found == self.text


class Start:
    """Text that may be cut at its end."""

    def __init__(self, text):
        self.text = printable(text)

    def fits(self, found):
        return found == self.text or found.endswith("...") and self.text.startswith(found[:-3])


class Count:
    """A name, which may be cut at its end, and a whole number."""

    def __init__(self, name, number):
        self.name, self.number = Start(name), thousands(number)

    def fits(self, found):
        name, _, number = found.rpartition(" ")
        return number == self.number and self.name.fits(name)


class Name:
    """A layer's name, shortened: a part of it, or two with "..." between them."""

    def __init__(self, name):
        self.name = printable(name)

    def fits(self, found):
        parts = [part for part in found.split("...") if part]
        return all(part in self.name for part in parts)


HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def printable(text):
    """What a terminal would obey, or not show, as \\xHH, byte by byte."""
    return HIDDEN.sub(lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)


def thousands(number):
    return f"{number:,}"


def counted(number, noun):
    plural = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{thousands(number)} {noun}{plural}"


def rate(value):
    """Three digits."""
    return f"{value:.3g}" if value < 0.9995 else f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}"


def percent(part, whole):
    return f"{100 * part / whole if whole else 0:.1f}%"


def frames(per_second):
    return f"{int(per_second + 0.5):,} fps" if per_second >= 99.95 else f"{per_second:.3g} fps"


def seconds(value):
    return f"{value:.3f} s" if value >= 1 else f"{value * 1e3:.3f} ms" if value >= 1e-3 else f"{value * 1e6:.3f} us"


def size(count):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{thousands(count)} B"


def operator_forms(layer):
    """As much of it as a column may hold, the longest first."""
    main, sizes = layer["main_operator"], ""
    name = main["name"]
    if main["kernel"]:
        sizes += " " + "x".join(map(str, main["kernel"]))
    if set(main["stride"]) - {1}:
        same = len(set(main["stride"])) == 1
        sizes += "/" + (str(main["stride"][0]) if same else "x".join(map(str, main["stride"])))
    if main["output_channels"]:
        sizes += f" {main['output_channels']}"
    more = f" +{len(layer['operators']) - 1}" if len(layer["operators"]) > 1 else ""
    return [name + sizes + more, name + sizes, OPERATOR_SHORT.get(name, name) + sizes]


def utilization(layer, report):
    return percent(layer["macs"], layer["working_cycles"] * report["config"]["macs_per_cycle"])


def layer_cells(layer, report):
    """Column by heading; a bar has none."""
    totals = report["totals"]
    used = 100 * layer["macs"] / (layer["working_cycles"] * report["config"]["macs_per_cycle"]) if layer["macs"] else 0
    filled = min(10, int(used / 10 + 0.5))
    return {
        "#": str(layer["layer_idx"]), "layer": Name(layer["name"]), "operator": Any(*operator_forms(layer)),
        "cycles": thousands(layer["attributed_cycles"]), "share": percent(layer["attributed_cycles"], totals["cycles"]),
        "MACs": thousands(layer["macs"]) if layer["macs"] else "-",
        "external B": thousands(layer["external_read_bytes"] + layer["external_write_bytes"]),
        "util": utilization(layer, report) if layer["macs"] else "-",
        "bar": "#" * filled + "." * (10 - filled) if layer["macs"] else "",
        "bound by": layer["bound_by"], "why": Start(layer["bound_detail"]) if layer["bound_detail"] else "",
    }


def shown_columns(heading, known):
    """The headings of `known` that stand in the line, in order."""
    found, rest = [], heading
    for column in known:
        if rest.startswith(column):
            found.append(column)
            rest = rest[len(column):].lstrip()
    return found, rest


def layer_lines(lines, report):
    """What the table of layers says."""
    heading = next((line.strip() for line in lines if re.match(r" *# layer ", line)), "")
    columns, rest = shown_columns(heading, list(layer_cells(report["layers"][0], report)) if report["layers"] else [])
    yield [heading]
    if rest or columns[:2] != ["#", "layer"]:
        yield ["a heading of known columns"]
        return
    row = next((line for line in lines if re.match(r" *0 ", line)), "")
    if "util" in columns and re.search(r" [#.]{10}( |$)", row + " ".join(lines)):
        columns.insert(columns.index("util") + 1, "bar")
    for layer in report["layers"]:
        cells = layer_cells(layer, report)
        yield [cells[column] for column in columns]
    shows_more = "operator" in columns and any(
        len(layer["operators"]) > 1 and operator_forms(layer)[0] in line
        for layer in report["layers"] for line in lines if re.match(rf" *{layer['layer_idx']} ", line))
    more = ", +n: with n more in the same commands" if shows_more else ""
    texts = {"operator": f"operator: kernel/stride and output channels{more}",
             "share": "share: of all cycles",
             "util": f"util: of {report['config']['macs_per_cycle']} MACs per cycle while the layer works"}
    explained = [text for column, text in texts.items() if column in columns] + left_out(lines, report)
    if explained:
        yield ["; ".join(explained)]


def left_out(lines, report):
    """What the names are shown without: text that several of them have."""
    found = re.search(r"\blayer: without .*?(?=  |$)", " ".join(line.strip() if line else "  " for line in lines))
    if not found:
        return []
    pieces = re.findall(r"'([^']*)'", found.group(0))
    known = all(sum(piece in printable(layer["name"]) for layer in report["layers"]) >= 2 for piece in pieces)
    return [found.group(0) if pieces and known else "layer: without parts of the names"]


def stalls(unit, cell):
    """The largest ones, as many as there was room for; the name of the first one may be cut."""
    entries = sorted(unit["stall_cycles"].items(), key=lambda entry: -entry[1])
    texts = [f"{name} {thousands(cycles)}" for name, cycles in entries]
    if not cell or not texts:
        return None
    return Any(Count(*entries[0]), *[", ".join(texts[:count]) for count in range(1, len(texts) + 1)])


def unit_lines(lines, report):
    heading = next((line for line in lines if line.startswith("unit ")), "")
    has_stalls = "stalls (cycles)" in heading
    yield ["unit busy stall idle" + has_stalls * " stalls (cycles)" + ("largest" in heading) * ", largest first"]
    cycles = report["totals"]["cycles"]
    for name, unit in report["units"].items():
        stalled = sum(unit["stall_cycles"].values())
        yield [name, percent(unit["busy_cycles"], cycles), percent(stalled, cycles), percent(unit["idle_cycles"], cycles),
               stalls(unit, has_stalls)]


def port_lines(lines, report):
    known = ["bandwidth (GB/s)", "bytes", "average", "peak", "limit", "peak in layer"]
    heading = next((line for line in lines if line.startswith("bandwidth (GB/s) ")), "")
    columns = shown_columns(heading, known)[0]
    if heading.rstrip().endswith("peak in layer") and "peak in layer" not in columns:
        columns.append("peak in layer")
    yield columns
    uses_external = report["bandwidth"]["external_both"]["bytes"] > 0
    for key, port in report["bandwidth"].items():
        if key.startswith("external") and not uses_external:
            continue
        idx = port["peak_layer_idx"]
        cells = {
            "bandwidth (GB/s)": PORTS[key], "bytes": thousands(port["bytes"]),
            "average": rate(port["average_bytes_per_second"] / 1e9), "peak": rate(port["peak_bytes_per_second"] / 1e9),
            "limit": rate(port["limit_bytes_per_second"] / 1e9) if port["limit_bytes_per_second"] else "",
        }
        yield [cells[column] for column in columns if column in cells]
        if "peak in layer" in columns and idx >= 0:
            yield [str(idx), Name(report["layers"][idx]["name"])]


def costliest_lines(report):
    layers = [report["layers"][idx] for idx in report["costliest_layers"]]
    cycles = report["totals"]["cycles"]
    share = sum(100 * layer["attributed_cycles"] / cycles for layer in layers)
    yield [f"costliest layers {len(layers)} of {len(report['layers'])}, {share:.1f}% of all cycles"]
    for layer in layers:
        why = layer["bound_by"] + (": " + layer["bound_detail"] if layer["bound_detail"] else "")
        yield [str(layer["layer_idx"]), Name(layer["name"]), percent(layer["attributed_cycles"], cycles), why]


def total_lines(report):
    totals, config = report["totals"], report["config"]
    clock = config["clock_hz"]
    mhz = str(clock / 1e6).removesuffix(".0")
    yield [f"total {thousands(totals['cycles'])} cycles = {seconds(totals['cycles'] / clock)}, {frames(clock / totals['cycles'])} at {mhz} MHz"]
    yield [f"{thousands(totals['macs'])} MACs, utilisation {percent(totals['macs'], totals['cycles'] * config['macs_per_cycle'])}, "
           f"{thousands(totals['weight_bytes'])} B of weights, {thousands(totals['commands'])} commands"]
    bandwidth = f"{config['external_bytes_per_cycle']:.4g} B per cycle"
    if totals["first_inference_loaded_bytes"]:
        first = totals["first_inference_cycles"]
        yield [f"first inference {thousands(first)} cycles = {seconds(first / clock)}: "
               f"{thousands(totals['first_inference_loaded_bytes'])} B of weights and commands come into SRAM first, at {bandwidth} "
               "from external memory; the following ones find them there"]
    elif config["memory_mode"] == "sram":
        yield ["first inference takes as long as the following ones: there are no weights and commands to load"]
    else:
        yield ["first inference takes as long as the following ones: weights and commands come from external memory each time"]
    parts = ", ".join(f"{name} {thousands(totals[f'sram_peak_{key}_bytes'])} B" for name, key in
                      (("maps", "map"), ("weights", "weight"), ("commands", "command"), ("gaps", "gap")))
    planned = totals["planned_sram_bytes"]
    more = ", loads ahead use more" if totals["sram_peak_bytes"] > planned else ""
    planned = f"; maps and cuts planned for {size(planned)}{more}" if planned not in (0, config["sram_bytes"]) else ""
    yield [f"SRAM peak {thousands(totals['sram_peak_bytes'])} B of {size(config['sram_bytes'])}: {parts}{planned}"]
    used = totals["external_read_bytes"] + totals["external_write_bytes"] > 0
    unused = "used before the first inference alone" if totals["first_inference_loaded_bytes"] else "not used"
    yield ["external memory " + (f"{thousands(totals['external_footprint_bytes'])} B occupied" if used else unused)]
    least = totals["least_external_bytes_per_cycle"]
    if least is not None:
        is_all = math.isclose(least, config["external_bytes_per_cycle"])
        yield [f"bandwidth need {'all ' if is_all else ''}{rate(least)} B per cycle ({rate(least * clock / 1e9)} GB/s)"
               f"{'' if is_all else f' of {bandwidth}'}: with less external bandwidth the same commands take over 1 % more cycles"]
    if report["queues"]:
        yield [f"queues {queues_text(report['queues'])}"]


def queues_text(queues):
    most = ", ".join(f"{queue['queue']} {queue['most_commands']}" for queue in queues)
    text = f"{most} of {queues[0]['depth_commands']} commands waited at most"
    for queue in queues:
        if queue["full_cycles"]:
            held = queue["holding_cycles"]
            text += (f"; {queue['queue']} full for {thousands(queue['full_cycles'])} cycles, "
                     + (f"commands held up for {thousands(held)}" if held else "which held up no command"))
    return text


def inputs_text(run):
    files = [entry for entry in run["inputs"] if not entry.startswith("random")]
    random = f"random inputs, seed {run['seed']}" if len(files) < len(run["inputs"]) else ""
    listed = f"inputs {', '.join(files)}" if files else ""
    return listed + (" and " if listed and random else "") + random


def first_difference(first):
    text = (f"tensor '{first['tensor']}' [{', '.join(map(str, first['coordinates']))}] expected {first['expected']} found "
            f"{first['actual']}")
    if first["command_idx"] < 0:
        return text
    return text + (f", of layer {first['layer_idx']} '{first['layer_name']}' ({first['operators']}), written by command "
                   f"{first['command_idx']} on {first['unit']}, cycles {first['start_cycle']} to {first['cycle']}")


def check_lines(report):
    check, inputs = report["check"], inputs_text(report["run"])
    counted = thousands(check["elements_compared"])
    if check["result"] == "match":
        tensors = f"{check['tensors_compared']} tensor{'' if check['tensors_compared'] == 1 else 's'}"
        yield [f"check: match, all {counted} elements of {tensors} equal the reference ({inputs})"]
    elif check["result"] == "skipped":
        yield [f"check: skipped ({inputs or 'values were not computed'})"]
    else:
        yield [f"check: MISMATCH, {thousands(check['elements_different'])} of {counted} elements differ from the reference ({inputs})"]
        yield [f"first: {first_difference(check['first_difference'])}"]
        if check["first_difference"]["operands"]:
            yield [f"its operands: {check['first_difference']['operands']}"]


def core_lines(report):
    """Of scope core."""
    rtl, core = report["rtl"], report["rtl"]["core"]
    compared = (f"of {counted(core['compared_bytes'], 'byte')} of its SRAM; {counted(rtl['commands'], 'command')} ran together on the core, "
                f"the test bench moved data for {counted(rtl['commands_without_rtl'], 'other')}")
    if rtl["mismatches"]:
        yield [f"RTL: MISMATCH, {counted(core['wrong_bytes'], 'byte')} of {counted(rtl['mismatches'], 'command')} wrong, {compared}"]
    else:
        yield [f"RTL: equal, in every one {compared}"]
    yield from ([f"mismatch: {text}"] for text in rtl["first_mismatches"])
    model = core["model_total_cycles"]
    percent = 100 * (core["total_cycles"] - model) / model if model else 0
    worst, furthest = core["worst_command"], ""
    if worst:
        layer = next(layer["name"] for layer in report["layers"] if layer["layer_idx"] == report["commands"][worst["command_idx"]]["layer_idx"])
        furthest = (f"; furthest off: command {worst['command_idx']} on {worst['unit']}, layer '{printable(layer)}', {thousands(worst['cycles'])}, "
                    f"model {thousands(worst['model_cycles'])} ({worst['percent']:+.2f} %)")
    yield [f"RTL cycles: {thousands(core['total_cycles'])} cycles on the core, model {thousands(model)} ({percent:+.2f} %){furthest}"]


def rtl_lines(rtl):
    compared = (f"of {thousands(rtl['vectors'])} results; values of {counted(rtl['commands'], 'command')} come from RTL, "
                f"{thousands(rtl['commands_without_rtl'])} others have none")
    if rtl["mismatches"]:
        yield [f"RTL: MISMATCH, {counted(rtl['mismatches'], 'mismatch')}, {counted(rtl['cycle_mismatches'], 'edge')} not those of hw/spec, {compared}"]
    else:
        other = rtl["cycle_mismatches"]
        equal = "in every value" if rtl["memory"] == "banked" else "in every value and every edge"
        edges = f"in every value, {counted(other, 'edge')} not in the cycles of hw/spec," if other else equal
        yield [f"RTL: equal, {edges} {compared}"]
    yield from ([f"RTL: {text}"] for text in [rtl["unused"]] if text)
    yield from ([f"mismatch: {text}"] for text in rtl["first_mismatches"])
    modes = ", ".join(f"{thousands(of['reached'])} of {counted(of['all'], 'mode')} of {of['unit']}" for of in rtl["modes"])
    if modes:
        yield [f"RTL modes: the network reaches {modes}; 'vernier cosim UNIT' draws the others"]
    slowest = ", ".join(f"command {command['command_idx']} on {command['unit']} {thousands(command['cycles'])}"
                        for command in rtl["slowest_commands"][:5])
    if slowest:
        yield [f"RTL cycles {thousands(rtl['rtl_cycles'])}, model {thousands(rtl['model_cycles'])}; most: {slowest}"]


def remark_lines(report, verbose):
    yield from ([f"warning: {text}"] for text in report["warnings"])
    if report["injected"]:
        yield [f"injected: {report['injected']}"]
    yield from ([f"note: {text}"] for text in report["notes"])
    listed = report["approximations"]
    if listed:
        measured = report["measured"]
        if measured:
            least, greatest, count = (measured[key] for key in ("least_percent", "greatest_percent", "num_networks"))
            what = {"core": "whole networks on the core with its memory", "command": "commands alone, with banks and ports"}[measured["scope"]]
            yield [f"measured: {what}, RTL takes {least:+.2f} to {greatest:+.2f} % of the model's cycles more, over {count} "
                   f"networks on {report['config']['name']} in memory mode {measured['memory_mode']} (docs/results/fidelity.md)"]
        estimated = sum(entry["estimate_percent"] or 0 for entry in listed)
        meet = f"banks in which commands in flight together meet, about {estimated:.2f} % of the cycles if they meet at random; " if 0 < estimated <= MOST_SHOWN_BOUND_PERCENT else ""
        yield [f"not measured: {meet}{len(listed)} approximations ({'listed below' if verbose else '-v lists them'}), the first: {listed[0]['what']}"]
    for entry in listed if verbose else []:
        bound = entry.get("bound_percent")
        yield [f"{entry['what']}: {entry['error']}" + (f"; at most {bound:.2f} % of this run's cycles" if bound is not None and bound <= MOST_SHOWN_BOUND_PERCENT else "")]
    if report["check"]["folded"]:
        yield ["tensors that no command makes, each with its reason:"]
    yield from ([f"{entry['tensor']}: {entry['reason']}"] for entry in report["check"]["folded"])


def expected(lines, report, verbose):
    """The text, paragraph by paragraph: lists of cells, each a text or a pattern."""
    config = report["config"]
    if report["backend"] == "reference":
        yield [f"{report['model']['name']} on the reference: {len(report['layers'])} layers, {thousands(report['totals']['macs'])} "
               "MACs; no machine, so no cycles"]
        for output in report["outputs"]:
            shape = f"[{', '.join(map(str, output['shape']))}]"
            yield [f"output {output['tensor']} {output['dtype']} {shape}" + (f" in {output['file']}" if output["file"] else "")]
    else:
        yield [f"{report['model']['name']} on {config['name']} ({config['macs_per_cycle']} MACs per cycle, memory "
               f"{config['memory_mode']}, optimize {config['optimize']}, backend {report['backend']})"]
        yield [f"assumes {report['assumes']}"]
        yield from layer_lines(lines, report)
        yield from unit_lines(lines, report)
        yield from port_lines(lines, report)
        yield from costliest_lines(report)
        yield from total_lines(report)
    yield from check_lines(report)
    if "rtl" in report:
        yield from core_lines(report) if "core" in report["rtl"] else rtl_lines(report["rtl"])
    yield from remark_lines(report, verbose)


def findings(text, report, verbose=False):
    """What the text says that the JSON report does not, the first of it."""
    lines = re.sub("\x1b\\[\\d+m", "", text).splitlines()
    host = next((i for i, line in enumerate(lines) if line.startswith("host: ")), len(lines))
    rest = " ".join(" ".join(lines[:host]).split())
    for cells in expected(lines[:host], report, verbose):
        for cell in cells:
            if cell in (None, ""):
                continue
            if isinstance(cell, str):
                wanted = " ".join(printable(cell).split())
                if rest != wanted and not rest.startswith(wanted + " "):
                    return [f"expected '{wanted}', found '{rest[:120]}'"]
                rest = rest[len(wanted):].lstrip()
                continue
            words, found = rest.split(" "), None
            for count in range(min(len(words), 60), 0, -1):
                if cell.fits(" ".join(words[:count])):
                    found = count
                    break
            if found is None:
                return [f"expected {vars(cell)}, found '{rest[:120]}'"]
            rest = " ".join(words[found:])
    return [f"'{rest[:120]}' is not in the JSON report"] if rest else []
