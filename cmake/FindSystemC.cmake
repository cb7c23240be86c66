# SPDX-License-Identifier: Apache-2.0
# Finds SystemC (Debian ships a pkg-config file only) and defines SystemC::systemc. The library is built as C++17; its API
# check refuses other standards at link time unless SC_CPLUSPLUS says which one it was built for.
find_path(SystemC_INCLUDE_DIR systemc.h)
find_library(SystemC_LIBRARY systemc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)
if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=201703L")
endif()
