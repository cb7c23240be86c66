// SPDX-License-Identifier: Apache-2.0
// What RTL showed in a run with backend rtl: of the commands together on the core, or of each command by itself.

const kFarPercent = 10;    // a command that is further off is listed
const kShortCycles = 100;  // percents of a shorter command are of so many cycles, as rtl.core.worst_command.percent has it

/** How much longer RTL takes, of the model's cycles. */
const more_percent = (rtl, model, least = 1) => 100 * (rtl - model) / Math.max(model, least);
const command_name = (i) => `command ${i}, ${layer_name(commands.layer_idx[i])}`;

function rtl_verdict(rtl) {
  if (rtl.mismatches === 0) return "equal in every value that was compared";
  return rtl.core ? `MISMATCH: ${whole(rtl.mismatches)} commands have wrong bytes` : `MISMATCH: ${whole(rtl.mismatches)} results differ, ${whole(rtl.cycle_mismatches)} of them in their edge`;
}

/** Commands of the array and of the vector unit with their cycles, those that are furthest off first. */
function core_commands(core) {
  return core.commands.filter((command) => command.unit !== "dma").map((command) => {
    const cycles = command.end_cycle - command.start_cycle, model_cycles = command.model_end_cycle - command.model_start_cycle;
    return { ...command, cycles, model_cycles, percent: more_percent(cycles, model_cycles, kShortCycles) };
  }).sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
}

function core_parts(core) {
  const listed = core_commands(core), far = listed.filter((command) => Math.abs(command.percent) > kFarPercent);
  const cycles = (command) => `${whole(command.cycles)} cycles, model ${whole(command.model_cycles)} (${signed_percent(command.percent)})`;
  const worst = core.worst_command;
  const parts = [facts([
    ["total on RTL", `${whole(core.total_cycles)} cycles (${signed_percent(more_percent(core.total_cycles, core.model_total_cycles))})`],
    ["by the model", `${whole(core.model_total_cycles)} cycles`],
    ["furthest off", worst ? `${command_name(worst.command_idx)} on ${words(worst.unit)}: ${cycles(worst)}` : "no command of the array or the vector unit"],
    [`commands over ${kFarPercent} %`, `${whole(far.length)} of ${whole(listed.length)}`],
    ["compared", `${whole(core.compared_bytes)} bytes of its SRAM, ${whole(core.wrong_bytes)} of them wrong`]])];
  if (far.length === 0) return parts;
  return [...parts, el("h3", {}, `Commands that are more than ${kFarPercent} % off`),
    el("div", { id: "rtl_commands" }, small_table(["command", "unit", "RTL", "model", "RTL more"], far.map((command) =>
      [command_name(command.command_idx), words(command.unit), whole(command.cycles), whole(command.model_cycles), signed_percent(command.percent)]), [2, 3, 4]))];
}

function alone_parts(rtl) {
  return [facts([
    ["compared", `${whole(rtl.vectors)} results of ${whole(rtl.commands)} commands; ${whole(rtl.commands_without_rtl)} others have no RTL`],
    ["cycles on RTL", `${whole(rtl.rtl_cycles)}, each command alone${rtl.memory === "banked" ? ", with banks and ports" : ""}`],
    ["by the model", `${whole(rtl.model_cycles)} (RTL ${signed_percent(more_percent(rtl.rtl_cycles, rtl.model_cycles))})`],
    ["not used", rtl.unused]])];
}

function draw_rtl() {
  const rtl = report.rtl;
  const what = rtl.core ? "All commands together on the core with its memory, in RTL; percents of a command below 100 cycles are of 100." : "Each command by itself on RTL.";
  const parts = [soft(what), el("p", { id: "rtl_verdict", class: rtl.mismatches === 0 ? "note" : "bad" }, `RTL: ${rtl_verdict(rtl)}.`)];
  for (const text of rtl.first_mismatches) parts.push(el("p", { class: "bad" }, text));
  section("rtl", "RTL", parts, el("div", { id: "rtl_facts" }, rtl.core ? core_parts(rtl.core) : alone_parts(rtl)));
}
