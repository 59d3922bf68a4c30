# deft_module(core/ranking SOURCES bm25.c ... [LIBRARIES stemmer ...])
#
# One folder of src/ as an object library `deft_core_ranking`. Its *_test.c files become tests by
# being there: `core/ranking/bm25` for bm25_test.c. Which modules a folder may include from is
# checked by script/layers, not by the linker.
set_property(GLOBAL PROPERTY DEFT_TEST_SOURCES "")

function(deft_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target "deft_${name}")
  list(TRANSFORM MODULE_SOURCES PREPEND "${CMAKE_SOURCE_DIR}/src/${name}/")
  add_library(${target} OBJECT ${MODULE_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${MODULE_LIBRARIES})

  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*_test.c")
  foreach(test ${tests})
    set_property(GLOBAL APPEND PROPERTY DEFT_TEST_SOURCES "${test}")
  endforeach()
endfunction()
