# libdeft as others see it: shared and static from the objects of DEFT_LIBRARY_MODULES, with the
# headers, a pkg-config file and a CMake package to find them by.
include(CMakePackageConfigHelpers)

# While the major number is 0 every release may change the interface, and the soname says so only
# when it did: it is raised by hand together with the node in src/deft.map.
set(DEFT_SOVERSION 0)

set(objects "")
set(libraries "")
foreach(module ${DEFT_LIBRARY_MODULES})
  list(APPEND objects $<TARGET_OBJECTS:${module}>)
  get_target_property(needed ${module} LINK_LIBRARIES)
  if(needed)
    list(APPEND libraries ${needed})
  endif()
endforeach()
list(REMOVE_DUPLICATES libraries)

add_library(deft SHARED ${objects})
add_library(deft_static STATIC ${objects})
foreach(target deft deft_static)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE ${libraries})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME deft LINKER_LANGUAGE C)
endforeach()
set_target_properties(deft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${DEFT_SOVERSION})
if(NOT APPLE) # its linker has no version scripts; the hidden visibility is enough there
  target_link_options(deft PRIVATE "LINKER:--version-script=${CMAKE_SOURCE_DIR}/src/deft.map")
  set_target_properties(deft PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/deft.map)
endif()

# The header is the one place where the version is written; a difference is a mistake.
file(STRINGS ${CMAKE_SOURCE_DIR}/include/deft/version.h version REGEX "DEFT_VERSION_STRING")
if(NOT version MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/deft/version.h does not say ${PROJECT_VERSION}")
endif()

install(TARGETS deft deft_static EXPORT deft-targets)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/deft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

list(TRANSFORM libraries PREPEND "-l" OUTPUT_VARIABLE private)
list(JOIN private " " DEFT_PC_LIBS_PRIVATE)
file(RELATIVE_PATH DEFT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/deft.pc.in ${CMAKE_BINARY_DIR}/deft.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/deft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/deft)
install(EXPORT deft-targets NAMESPACE deft:: DESTINATION ${package})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/deft-config.cmake.in
  ${CMAKE_BINARY_DIR}/deft-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/deft-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/deft-config.cmake ${CMAKE_BINARY_DIR}/deft-config-version.cmake
        DESTINATION ${package})
