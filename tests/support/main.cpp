// SPDX-License-Identifier: Apache-2.0
// The one runner of every Catch2 executable. SystemC's library wants sc_main and brings its own main(); both are satisfied
// here. A filter that matches no case is a failure: ctest starts each case by its name, and a name that ctest cuts off (at a
// semicolon) would pass without running anything.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

extern "C" int sc_main(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings = Catch::WarnAbout::NoTests;
  return session.run(argc, argv);
}

int main(int argc, char** argv) { return sc_main(argc, argv); }
