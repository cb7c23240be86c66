# SPDX-License-Identifier: Apache-2.0
"""Registers that are written by their number, decoded: Yosys 0.23 reads `register[width * number +: width] = value` as two shifts
over all registers, which a synthesiser for silicon would not build and which take it minutes. decode(design) makes of each such shift
a comparison with every number and a gate for every bit; what the module computes stays the same."""


def decode(module):
    """Number of shifts replaced in a module of Yosys' JSON."""
    cells = module["cells"]
    driver = {}
    for name, cell in cells.items():
        for pin, bits in cell["connections"].items():
            if cell.get("port_directions", {}).get(pin) == "output":
                driver.update({bit: (name, place) for place, bit in enumerate(bits) if isinstance(bit, int)})
    fresh = max((bit for cell in cells.values() for bits in cell["connections"].values() for bit in bits if isinstance(bit, int)), default=0)
    added, replaced, is_number = {}, [], {}

    def cell(kind, ports, parameters):
        nonlocal fresh
        fresh += parameters["Y_WIDTH"]
        y = list(range(fresh - parameters["Y_WIDTH"] + 1, fresh + 1))
        text = {key: format(value, "032b") for key, value in parameters.items()}
        directions = {**{pin: "input" for pin in ports}, "Y": "output"}
        added[f"$decoded${fresh}"] = {"hide_name": 1, "type": kind, "parameters": text, "attributes": {}, "port_directions": directions,
                                      "connections": {**ports, "Y": y}}
        return y

    for name, shift in list(cells.items()):
        if shift["type"] != "$shift" or int(shift["parameters"]["B_SIGNED"], 2) == 0:
            continue
        stride, number = offset(cells, driver, shift["connections"]["B"])
        value, y = shift["connections"]["A"], shift["connections"]["Y"]
        if not number or stride < 2 or any(bit != "0" for bit in value[stride:]):
            continue
        value = (value + ["0"] * stride)[:stride]
        result = []
        for register in range(-(-len(y) // stride)):
            key = (tuple(number), register)
            if register >= 1 << len(number):
                result += ["0"] * stride
                continue
            if key not in is_number:
                constant = [str(register >> place & 1) for place in range(len(number))]
                is_number[key] = cell("$eq", {"A": number, "B": constant},
                                      {"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": len(number), "B_WIDTH": len(number), "Y_WIDTH": 1})[0]
            result += cell("$and", {"A": value, "B": [is_number[key]] * stride},
                           {"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": stride, "B_WIDTH": stride, "Y_WIDTH": stride})
        width = len(y)
        added[f"{name}$decoded"] = {"hide_name": 1, "type": "$pos", "attributes": {}, "port_directions": {"A": "input", "Y": "output"},
                                    "parameters": {"A_SIGNED": "0", "A_WIDTH": format(width, "032b"), "Y_WIDTH": format(width, "032b")},
                                    "connections": {"A": result[:width], "Y": y}}
        replaced.append(name)
    for name in replaced:
        del cells[name]
    cells.update(added)
    return len(replaced)


def offset(cells, driver, bits):
    """(stride, bits of the number) of a shift to the left by stride * number: -bits; (0, []) where it is something else."""
    negate = output_of(cells, driver, bits, "$neg")
    if not negate:
        return 0, []
    product = negate["connections"]["A"]
    while product and product[-1] == "0":
        product = product[:-1]
    zeros = next((place for place, bit in enumerate(product) if bit != "0"), 0)
    if zeros:
        return 1 << zeros, product[zeros:]
    multiply = output_of(cells, driver, product, "$mul")
    if not multiply:
        return 0, []
    factors = [multiply["connections"][pin] for pin in "AB"]
    constants = [factor for factor in factors if all(isinstance(bit, str) for bit in factor)]
    numbers = [factor for factor in factors if not all(isinstance(bit, str) for bit in factor)]
    if len(constants) != 1:
        return 0, []
    number = numbers[0]
    while number[-1] == "0":
        number = number[:-1]
    return sum((bit == "1") << place for place, bit in enumerate(constants[0])), number


def output_of(cells, driver, bits, kind):
    """The cell of `kind` whose output starts with all of `bits`, or None."""
    if not bits or bits[0] not in driver:
        return None
    body = cells[driver[bits[0]][0]]
    return body if body["type"] == kind and body["connections"]["Y"][:len(bits)] == bits else None
