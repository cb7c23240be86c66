// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_words.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace vernier::cli {
namespace {

std::string where_help_is(const CLI::App& app) { return fmt::format("'{} --help' lists what there is", path_of(app)); }

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  return names;
}

void refuse_extras(const CLI::App& app) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");  // what follows it is no option
  if (extras.empty()) return;
  const std::string name = extras.front().substr(0, extras.front().find('='));
  const std::string subject = app.get_parent() == nullptr ? "command line" : app.get_name();
  if (name.size() > 1 && name.front() == '-')
    throw base::UserError(subject, "no option '{}'{}; {}", name, base::suggestion(name, option_names(app)),
                          where_help_is(app));
  const std::vector<std::string> commands = subcommand_names(app);
  if (!commands.empty())
    throw base::UserError(subject, "no command '{}'{}; {}", name, base::suggestion(name, commands), where_help_is(app));
  const auto positionals = positionals_of(app);
  throw base::UserError(subject, "nothing more is allowed{}, found '{}'; {}",
                        positionals.empty() ? "" : " than one " + positionals.front()->get_name(), extras.front(),
                        where_help_is(app));
}

void require_positionals(const CLI::App& app) {
  refuse_extras(app);
  for (const CLI::Option* option : positionals_of(app)) {
    if (!option->get_required()) continue;
    if (option->count() == 0)
      throw base::UserError(app.get_name(), "{} is missing; {}", option->get_name(), where_help_is(app));
    for (const std::string& word : option->results()) {
      if (word.empty()) throw base::UserError(app.get_name(), "{} is empty; {}", option->get_name(), where_help_is(app));
    }
  }
}

const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* found = &app;
  for (const std::string& word : words) {
    const std::vector<std::string> names = subcommand_names(*found);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      throw base::UserError("help", "no command '{}'{}; {}", found == &app ? word : path_of(*found).substr(8) + " " + word,
                            base::suggestion(word, names), where_help_is(*found));
    }
    found = found->get_subcommand(word);
  }
  return *found;
}

void refuse(const CLI::ParseError& error) {
  const std::string text = error.what();
  const size_t colon = text.find(": ");
  const std::string option = text.substr(0, colon);
  if (error.get_name() == "ValidationError" && colon != std::string::npos)
    throw base::UserError(option, std::string_view(text).substr(colon + 2));
  if (error.get_name() == "ArgumentMismatch" && colon != std::string::npos) {
    const bool is_repeated = text.find("At Most 1") != std::string::npos;
    throw base::UserError(option, is_repeated ? "is given more than once" : "has no value");
  }
  throw base::UserError("command line", "{}; 'vernier --help' lists what there is", text);
}

void add_repeatable(CLI::App& sub, const std::string& name, std::vector<std::string>& values,
                    const std::string& description) {
  sub.add_option(name, values, description + "; repeatable")->take_all()->allow_extra_args(false);
}

}  // namespace vernier::cli
