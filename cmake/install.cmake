# The library for other programs: all modules as libsotto.a and libsotto.so,
# the public headers, and two ways to find them (docs/cpp.md).

# The packages to link with it, by their pkg-config names. tools/check_package.sh
# fails if one is missing.
set(SOTTO_REQUIRES libsodium mpfr gmp simdjson zlib)
pkg_check_modules(sotto_requires REQUIRED IMPORTED_TARGET ${SOTTO_REQUIRES})

get_property(modules GLOBAL PROPERTY SOTTO_MODULES)
# The server is the program's: the library needs no OpenSSL and no libpq.
list(REMOVE_ITEM modules sotto_testing sotto_model_audit sotto_mutants sotto_http sotto_api
     sotto_dashboard sotto_engine sotto_events sotto_metrics sotto_peers sotto_postgres
     sotto_serve)
list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(sotto_library STATIC ${modules})
add_library(Sotto::sotto ALIAS sotto_library)
set_target_properties(sotto_library PROPERTIES OUTPUT_NAME sotto
                                               EXPORT_NAME sotto
                                               LINKER_LANGUAGE CXX)
target_compile_features(sotto_library PUBLIC cxx_std_20)
target_include_directories(sotto_library
                           PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(sotto_library PUBLIC PkgConfig::sotto_requires
                                           Threads::Threads)

# The same objects as a shared library. While the version is 0, a minor version
# may change anything, so it is part of the name.
add_library(sotto_shared SHARED ${modules})
add_library(Sotto::shared ALIAS sotto_shared)
set_target_properties(
  sotto_shared PROPERTIES
  OUTPUT_NAME sotto EXPORT_NAME shared LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(sotto_shared PUBLIC cxx_std_20)
target_include_directories(sotto_shared
                           PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(sotto_shared PUBLIC PkgConfig::sotto_requires
                                          Threads::Threads)
target_link_options(sotto_shared PRIVATE -Wl,-z,defs)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sotto)
install(TARGETS sotto_library sotto_shared EXPORT SottoTargets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "set(source_dir \"${PROJECT_SOURCE_DIR}\")
              set(include_dir \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/install_headers.cmake)
install(EXPORT SottoTargets NAMESPACE Sotto:: DESTINATION ${package_dir})

configure_package_config_file(cmake/SottoConfig.cmake.in SottoConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(SottoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/SottoConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/SottoConfigVersion.cmake
        DESTINATION ${package_dir})

# The prefix is said relative to the file, so that an installation can move.
file(RELATIVE_PATH prefix_from_pc
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(JOIN SOTTO_REQUIRES " " requires)
configure_file(cmake/sotto.pc.in sotto.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sotto.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
