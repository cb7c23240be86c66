// SPDX-License-Identifier: Apache-2.0
// The one runner of every Catch2 executable. SystemC's library wants sc_main and brings its own main(); both are satisfied
// here.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

extern "C" int sc_main(int argc, char** argv) { return Catch::Session().run(argc, argv); }

int main(int argc, char** argv) { return sc_main(argc, argv); }
