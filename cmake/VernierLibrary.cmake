# SPDX-License-Identifier: Apache-2.0
# vernier_library(NAME [ROOMS ...] DEPS ...): a static library of every .cpp in the current folder and in those of its folders
# that ROOMS names. NAME is the folder path with underscores (hw_base), the target vernier_NAME. DEPS are names of other such
# libraries or imported targets.
function(vernier_library NAME)
  cmake_parse_arguments(ARG "" "" "ROOMS;DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  foreach(room IN LISTS ARG_ROOMS)
    file(GLOB of_room CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp")
    list(APPEND sources ${of_room})
  endforeach()
  set(scope PUBLIC)
  if(sources)
    add_library(vernier_${NAME} STATIC ${sources})
  else()
    add_library(vernier_${NAME} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(vernier_${NAME} ${scope} vernier_flags)
  foreach(dep IN LISTS ARG_DEPS)
    if(TARGET vernier_${dep})
      target_link_libraries(vernier_${NAME} ${scope} vernier_${dep})
    else()
      target_link_libraries(vernier_${NAME} ${scope} ${dep})
    endif()
  endforeach()
endfunction()

# vernier_tells(NAME): a library that computes nothing that takes long: it tells of results, reads a file or translates a graph of
# a few hundred operators, sets up jobs, or waits for others (a co-simulation waits for the RTL). Compiling it takes two thirds of
# the time of -O3.
function(vernier_tells NAME)
  target_compile_options(vernier_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# vernier_test(NAME DEPS ... [LABELS ...] [HAS_SLOW] [NIGHTLY AREA]): one Catch2 executable of every .cpp in the current folder,
# its cases found by ctest. HAS_SLOW: cases with the tag [slow] carry that label; NIGHTLY: those with [nightly] the label nightly-AREA.
function(vernier_test NAME)
  cmake_parse_arguments(ARG "HAS_SLOW" "NIGHTLY" "DEPS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(test_${NAME} ${sources})
  # Half of a library's: names of cases and helpers meet more often.
  set_target_properties(test_${NAME} PROPERTIES UNITY_BUILD_BATCH_SIZE 10)
  target_link_libraries(test_${NAME} PRIVATE vernier_flags vernier_tests_support)
  # What tests do themselves is short, compiling it is not: two thirds of the time of -O3.
  target_compile_options(test_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(test_${NAME} PRIVATE vernier_${dep})
  endforeach()
  # A case that says so has looked at nothing.
  set(properties TIMEOUT ${VERNIER_HANG_SECONDS} SKIP_REGULAR_EXPRESSION "skipped: (this program|[.][.]/shared)")
  if(ARG_LABELS)
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  set(by_day)
  if(ARG_NIGHTLY)
    set(by_day "~[nightly]")
    catch_discover_tests(test_${NAME} TEST_SPEC "[nightly]" TEST_PREFIX "${NAME}: " PROPERTIES ${properties} LABELS nightly-${ARG_NIGHTLY})
  endif()
  if(ARG_HAS_SLOW)
    catch_discover_tests(test_${NAME} TEST_SPEC "~[slow]${by_day}" TEST_PREFIX "${NAME}: " PROPERTIES ${properties})
    catch_discover_tests(test_${NAME} TEST_SPEC "[slow]${by_day}" TEST_PREFIX "${NAME}: " PROPERTIES ${properties} LABELS slow)
  else()
    catch_discover_tests(test_${NAME} TEST_SPEC "${by_day}" TEST_PREFIX "${NAME}: " PROPERTIES ${properties})
  endif()
endfunction()
