// SPDX-License-Identifier: Apache-2.0
// Whether all that a package's streams say is something that its machine takes, before any of it runs.
#pragma once

#include "hw/package/package.hpp"

#include <string>

namespace vernier::package {

/// For a package that from_bytes() gave. UserError (naming `file`, the command, its layer and its byte in the stream) unless
/// each stream has commands that can be decoded and that the machine of `config` takes, which read and write inside its
/// memories, up to an END, behind which nothing follows; and unless the package knows the layer of each. What the values of
/// a job decide is the machine's to find: tokens that never come, hazards, bytes that nobody has written.
void check_streams(const std::string& file, const Package& package);

}  // namespace vernier::package
