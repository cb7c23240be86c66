// SPDX-License-Identifier: Apache-2.0
// Small graphs with control flow, in the printed form of compiler/ir.
#pragma once

#include "compiler/ir/graph.hpp"

#include <fmt/format.h>

#include <string>

namespace vernier::tests {

/// y = go ? x + 3 : 10 - x, of two int32.
inline const std::string kBranchText = R"(vernier-ir 1
tensor go bool[1]
tensor x int32[2]
tensor y int32[2]
input go
input x
output y
COND_IF(go, x) -> (y) {then_graph = more, else_graph = less}
region more
tensor a int32[2]
tensor three int32[1] = 0x03000000
tensor sum int32[2]
input a
output sum
ADD(a, three) -> (sum)
region less
tensor a int32[2]
tensor ten int32[1] = 0x0a000000
tensor difference int32[2]
input a
output difference
SUB(ten, a) -> (difference)
)";

/// `n` times: p, q = q, p + q. The Fibonacci numbers n and n + 1 for p = 0 and q = 1; the counter that is left, 0.
inline const std::string kLoopText = R"(vernier-ir 1
tensor n int32[1]
tensor p int32[1]
tensor q int32[1]
tensor left int32[1]
tensor p_end int32[1]
tensor q_end int32[1]
input n
input p
input q
output p_end
output q_end
output left
WHILE_LOOP(n, p, q) -> (left, p_end, q_end) {cond_graph = goes_on, body_graph = step}
region goes_on
tensor i int32[1]
tensor a int32[1]
tensor b int32[1]
tensor zero int32[1] = 0x00000000
tensor is_left bool[1]
input i
input a
input b
output is_left
GREATER(i, zero) -> (is_left)
region step
tensor i int32[1]
tensor a int32[1]
tensor b int32[1]
tensor one int32[1] = 0x01000000
tensor next int32[1]
tensor sum int32[1]
input i
input a
input b
output next
output b
output sum
SUB(i, one) -> (next)
ADD(a, b) -> (sum)
)";

inline ir::Graph parsed(const std::string& text) {
  ir::Graph graph = ir::parse("graph", text);
  ir::verify(graph, "graph", ir::kLevel8k);
  ir::judge_regions(graph, "graph", ir::kLevel8k);
  return graph;
}

/// COND_IF in COND_IF, `depth` of them, all on the input `go`: y = x + 1 where go is true, else x.
inline ir::Graph nested_branches(int64_t depth) {
  const auto cond_if = [](int64_t inner) {
    return fmt::format("COND_IF(go, go, x) -> (y) {{then_graph = then{}, else_graph = same}}\n", inner);
  };
  const std::string ends = "tensor go bool[]\ntensor x int32[3]\n";
  std::string text = "vernier-ir 1\n" + ends + "tensor y int32[3]\ninput go\ninput x\noutput y\n" + cond_if(1);
  for (int64_t i = 1; i <= depth; ++i) {
    text += fmt::format("region then{}\n{}tensor y int32[3]\n", i, ends);
    if (i == depth) text += "tensor one int32[1] = 0x01000000\n";
    text += "input go\ninput x\noutput y\n";
    text += i == depth ? std::string("ADD(x, one) -> (y)\n") : cond_if(i + 1);
  }
  text += "region same\n" + ends + "input go\ninput x\noutput x\n";
  return parsed(text);
}

}  // namespace vernier::tests
