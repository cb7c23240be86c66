// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/wave_writer.hpp"

#include <algorithm>

namespace vernier::waves {

int bits_for(size_t num_labels) {
  int bits = 1;
  while ((size_t{1} << bits) < num_labels) ++bits;
  return bits;
}

Scope scopes_of(const std::vector<Variable>& variables) {
  Scope all;
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string& path = variables[i].scope;
    Scope* scope = &all;
    for (size_t begin = 0; begin < path.size();) {
      const size_t end = std::min(path.find('.', begin), path.size());
      const std::string name = path.substr(begin, end - begin);
      auto inner = std::find_if(scope->scopes.begin(), scope->scopes.end(), [&](const Scope& s) { return s.name == name; });
      if (inner == scope->scopes.end()) inner = scope->scopes.insert(inner, Scope{name, {}, {}});
      scope = &*inner;
      begin = end + 1;
    }
    scope->variables.push_back(i);
  }
  return all;
}

}  // namespace vernier::waves
