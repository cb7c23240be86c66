-- SPDX-License-Identifier: Apache-2.0
-- Questions to a timeline, for Perfetto's query page (ui.perfetto.dev, "Query (SQL)") or its trace_processor:
--     trace_processor_shell --query-file timeline.sql FILE.perfetto-trace
-- A cycle is a nanosecond: ts and dur are cycles.

-- Which layers keep each unit at work: cycles of their commands, and how many of these it was busy.
SELECT t.name AS track, s.name AS layer, COUNT(*) AS commands, SUM(s.dur) AS cycles,
       SUM(EXTRACT_ARG(s.arg_set_id, 'debug.busy_cycles')) AS busy_cycles
FROM slice s JOIN track t ON s.track_id = t.id
WHERE s.category IN ('command', 'drain')
GROUP BY t.name, s.name
ORDER BY cycles DESC, track, layer;

-- Where the cycles of each unit went: the sums of the report. Idle is what is missing to the cycles of the run.
SELECT t.name AS track, s.name AS state, SUM(s.dur) AS cycles
FROM slice s JOIN track t ON s.track_id = t.id
WHERE s.category = 'state'
GROUP BY t.name, s.name
ORDER BY track, cycles DESC;

-- The ten commands that their units waited for longest, and which command gave the last token.
SELECT s.name AS layer, t.name AS track, EXTRACT_ARG(s.arg_set_id, 'debug.command_idx') AS command_idx,
       EXTRACT_ARG(s.arg_set_id, 'debug.wait_cycles') AS wait_cycles,
       EXTRACT_ARG(s.arg_set_id, 'debug.last_token_of_command_idx') AS last_token_of_command_idx
FROM slice s JOIN track t ON s.track_id = t.id
WHERE s.category = 'command'
ORDER BY wait_cycles DESC, command_idx
LIMIT 10;

-- Bytes that each counter of bandwidth adds up to: the totals of the report.
SELECT name, SUM(value * (next_ts - ts)) AS bytes
FROM (SELECT t.name AS name, c.ts AS ts, c.value AS value,
             LEAD(c.ts, 1, c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS next_ts
      FROM counter c JOIN counter_track t ON c.track_id = t.id)
WHERE name LIKE '%_bytes_per_cycle'
GROUP BY name
ORDER BY name;

-- The most SRAM in use, and from which cycle on.
SELECT c.ts AS cycle, c.value AS bytes
FROM counter c JOIN counter_track t ON c.track_id = t.id
WHERE t.name = 'sram_in_use_bytes'
ORDER BY c.value DESC, c.ts
LIMIT 1;

-- Arrows of the slowest ways: who started longest after the end of the command that it waited for or reads from.
SELECT giver.name AS from_layer, EXTRACT_ARG(giver.arg_set_id, 'debug.command_idx') AS from_command_idx,
       taker.name AS to_layer, EXTRACT_ARG(taker.arg_set_id, 'debug.command_idx') AS to_command_idx,
       taker.ts - (giver.ts + giver.dur) AS cycles_between
FROM flow f JOIN slice giver ON f.slice_out = giver.id JOIN slice taker ON f.slice_in = taker.id
ORDER BY cycles_between DESC, from_command_idx, to_command_idx
LIMIT 10;
