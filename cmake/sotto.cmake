# sotto_module(<name> SOURCES ... DEPS ... LIBS ... TESTS ... TEST_DEPS ...)
#
# One library per folder, sotto::<name>, and one test binary beside it.
# DEPS lists the modules below this one, TEST_DEPS those its tests add;
# tools/check_layers.py compares both with the #include lines. LIBS are
# packages. Suites named *StatisticalTest are labelled `statistical`, the rest
# `unit`: only `unit` runs under the sanitizers.
function(sotto_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS;TESTS;TEST_DEPS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND sotto::)
  list(TRANSFORM ARG_TEST_DEPS PREPEND sotto::)
  if(ARG_SOURCES)
    add_library(sotto_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(sotto_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(sotto::${name} ALIAS sotto_${name})
  target_include_directories(sotto_${name} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(sotto_${name} ${scope} ${ARG_DEPS} ${ARG_LIBS})
  if(SOTTO_TESTS AND ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests ${name}_test)
    target_link_libraries(${name}_test PRIVATE sotto::${name} ${ARG_TEST_DEPS}
                                               GTest::gtest_main)
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h>)
    gtest_discover_tests(${name}_test TEST_FILTER "-*StatisticalTest*"
                         DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS unit TIMEOUT 600)
    gtest_discover_tests(${name}_test TEST_FILTER "*StatisticalTest*"
                         DISCOVERY_TIMEOUT 60
                         TEST_LIST ${name}_statistical
                         PROPERTIES LABELS statistical TIMEOUT 600)
  endif()
endfunction()
