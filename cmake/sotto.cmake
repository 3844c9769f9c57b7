# sotto_module(<name> SOURCES ... DEPS ... LIBS ... TESTS ... TEST_DEPS ...)
#
# One library per folder, sotto::<name>, and one test binary beside it.
# DEPS lists the modules below this one, TEST_DEPS those its tests add;
# tools/check_layers.py compares both with the #include lines. LIBS are
# packages. Every module becomes part of the one library that is installed
# (cmake/install.cmake). APART names the sources that are compiled by themselves
# where others are united (SOTTO_UNITY, below). With TOGETHER, right behind the
# name, all tests are one for CTest: their set-up, a server, costs more than they.
function(sotto_module name)
  cmake_parse_arguments(ARG "TOGETHER" "" "SOURCES;APART;DEPS;LIBS;TESTS;TEST_DEPS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND sotto::)
  list(TRANSFORM ARG_TEST_DEPS PREPEND sotto::)
  if(ARG_SOURCES)
    add_library(sotto_${name} STATIC ${ARG_SOURCES})
    sotto_precompile(sotto_${name} sotto_headers)
    sotto_unite(sotto_${name} ${ARG_APART})
    set_property(GLOBAL APPEND PROPERTY SOTTO_MODULES sotto_${name})
    set(scope PUBLIC)
  else()
    add_library(sotto_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(sotto::${name} ALIAS sotto_${name})
  target_include_directories(sotto_${name} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(sotto_${name} ${scope} ${ARG_DEPS} ${ARG_LIBS})
  if(SOTTO_TESTS AND ARG_TESTS AND NOT name IN_LIST SOTTO_NOT_SANITIZED)
    if(ARG_TOGETHER)
      sotto_test_program(${name}_test ${ARG_TESTS})
      add_test(NAME ${name}_test COMMAND ${name}_test)
      set_tests_properties(${name}_test PROPERTIES LABELS unit TIMEOUT 600)
    else()
      sotto_test(${name}_test ${ARG_TESTS})
    endif()
    target_link_libraries(${name}_test PRIVATE sotto::${name} ${ARG_TEST_DEPS})
  endif()
endfunction()

# Under the sanitizers nothing is tested that only tests use.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(SOTTO_NOT_SANITIZED testing model_audit mutants)
endif()

# sotto_test(<name> <source>...)
#
# Suites named *StatisticalTest are labelled `statistical`, long exact ones named
# *ExactTest `exact`, the rest `unit`. Only `unit` runs under the sanitizers: the
# others take the paths of unit tests, many times.
function(sotto_test name)
  sotto_test_program(${name} ${ARGN})
  sotto_test_label(${name} unit "-*StatisticalTest*:*ExactTest*" 600 ${ARGN})
  sotto_test_label(${name} exact "*ExactTest*" 1800 ${ARGN})
  sotto_test_label(${name} statistical "*StatisticalTest*" 600 ${ARGN})
endfunction()

function(sotto_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  sotto_quick_to_compile(${name})
  sotto_precompile(${name} sotto_test_headers)
  sotto_unite(${name})
  add_dependencies(unit_tests ${name})
endfunction()

# sotto_test_label(<name> <label> <filter> <seconds> <source>...)
#
# The tests of a program that a filter selects. With SOTTO_CHECK they run in one
# process, which starts once and plans each model once.
function(sotto_test_label name label filter seconds)
  if(NOT SOTTO_CHECK)
    gtest_discover_tests(${name} TEST_FILTER "${filter}" DISCOVERY_TIMEOUT 300
                         TEST_LIST ${name}_${label}
                         PROPERTIES LABELS ${label} TIMEOUT ${seconds})
    return()
  endif()
  string(REGEX MATCH "[A-Za-z]+Test" suite "${filter}")
  set(found ${ARGN})
  if(NOT label STREQUAL unit)
    set(found)
    foreach(source ${ARGN})
      file(STRINGS ${source} lines REGEX "${suite}" LIMIT_COUNT 1)
      list(APPEND found ${lines})
    endforeach()
  endif()
  if(found)
    list(LENGTH ARGN sources)
    add_test(NAME ${name}_${label}
             COMMAND ${name} --gtest_brief=1 "--gtest_filter=${filter}"
                     "--gtest_output=xml:${CMAKE_BINARY_DIR}/tests/${name}_${label}.xml")
    set_tests_properties(${name}_${label} PROPERTIES LABELS ${label} TIMEOUT 3600
                                                     COST ${sources})
  endif()
endfunction()

# Tests spend their time in the library, which is optimised as it is shipped;
# optimising the tests themselves takes longer than it saves. Checks of pointers
# by UndefinedBehaviorSanitizer take a third of the time to compile a file. The
# dev preset leaves out `null` and `object-size`, where AddressSanitizer stops
# all the same, and `alignment`: bytes become numbers by memcpy here. Tests leave
# out those of virtual tables and of pointer arithmetic too, and of variables whose
# scope has ended; the library has them. A fifth of the time is saved so, and by
# calls where AddressSanitizer would write out its checks.
function(sotto_quick_to_compile target)
  target_compile_options(${target} PRIVATE
    $<$<CONFIG:Release>:-O1>
    $<$<CONFIG:Debug>:-fno-sanitize=vptr,pointer-overflow>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address" AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE
      -fno-sanitize-address-use-after-scope
      "SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
endfunction()

# sotto_unite(<target> <source that stays apart>...)
#
# With SOTTO_UNITY eight sources are compiled as one: more than half of the time
# of a build from nothing goes into headers and templates that they share.
# tools/unite.py says which, and keeps their file-local names apart. Whoever
# changes one file at a time builds without it. A file that forgets a header is
# found by clang-tidy, which compiles each changed file by itself.
function(sotto_unite target)
  if(NOT SOTTO_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(REMOVE_ITEM sources "" ${ARGN})
  list(TRANSFORM sources PREPEND ${folder}/)
  execute_process(
    COMMAND ${SOTTO_PYTHON_PROGRAM} ${PROJECT_SOURCE_DIR}/tools/unite.py
            ${CMAKE_BINARY_DIR}/united/${target} 8 ${sources}
    OUTPUT_VARIABLE united COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(${target} PROPERTIES SOURCES "${united};${ARGN}")
  target_include_directories(${target} PRIVATE ${folder})
  # What a source keeps to itself may change.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${sources} ${PROJECT_SOURCE_DIR}/tools/unite.py)
endfunction()

# sotto_seldom_runs(<target>...)
#
# Code that runs once a command, or once a report: optimising it takes longer
# than it ever saves.
function(sotto_seldom_runs)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# Precompiled headers, two for the whole tree: the standard library's most used
# ones, and the same with GoogleTest. They hold nothing of our own, and a file
# still includes all it uses: clang-tidy compiles it without them.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, as does ccache, which
# remembers nothing that was compiled with one.
# -Wstringop-overflow: with them, g++ 12 no longer leaves out its false reports
# on std::string (as on -Wrestrict); builds without them keep the warning.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(sotto_standard_headers
    <algorithm> <array> <cmath> <cstdint> <functional> <memory> <optional>
    <span> <string> <string_view> <utility> <variant> <vector>)

function(sotto_precompiled_headers name)
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Owns a precompiled header.\n")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

function(sotto_precompile target headers)
  target_precompile_headers(${target} REUSE_FROM ${headers})
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow)
  endif()
endfunction()

sotto_precompiled_headers(sotto_headers ${sotto_standard_headers})
if(SOTTO_TESTS)
  sotto_precompiled_headers(sotto_test_headers ${sotto_standard_headers}
                            <gtest/gtest.h>)
  target_link_libraries(sotto_test_headers PRIVATE GTest::gtest)
  sotto_quick_to_compile(sotto_test_headers)
  add_custom_target(unit_tests)
endif()
