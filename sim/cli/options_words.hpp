// SPDX-License-Identifier: Apache-2.0
// What the library CLI11 finds wrong with a command line, in our words.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
class ParseError;
}  // namespace CLI

namespace vernier::cli {

/// "vernier config show": the words that lead to a command.
std::string path_of(const CLI::App& app);
std::vector<std::string> subcommand_names(const CLI::App& app);
/// UserError for the first word that no option and no command has taken; suggests the nearest.
void refuse_extras(const CLI::App& app);
/// UserError for a missing or empty MODEL, and for what is left over.
void require_positionals(const CLI::App& app);
/// The subcommand that the words lead to, `app` itself for none; UserError where one of them is no command.
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& words);
/// An option that may be given several times, with a value each time.
void add_repeatable(CLI::App& sub, const std::string& name, std::vector<std::string>& values,
                    const std::string& description);
[[noreturn]] void refuse(const CLI::ParseError& error);

}  // namespace vernier::cli
