# deft_program(main.c)
#
# The program `deft` from src/cli: its main file, the module deft_cli and the library, statically,
# so that the program is one file. It is built as bin/deft. The man page and the completions are
# printed by the program itself from its tables of commands and flags, so they are made after it.
function(deft_program main)
  add_executable(deft_program ${CMAKE_SOURCE_DIR}/src/cli/${main})
  target_link_libraries(deft_program PRIVATE deft_cli deft_host)
  set_target_properties(deft_program PROPERTIES OUTPUT_NAME deft
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  install(TARGETS deft_program)

  if(CMAKE_CROSSCOMPILING)
    return() # the program cannot be run here
  endif()
  set(share ${CMAKE_BINARY_DIR}/share)
  set(data ${CMAKE_INSTALL_DATADIR})
  set(made "")
  foreach(row "deft.1|${CMAKE_INSTALL_MANDIR}/man1|help --man"
              "deft|${data}/bash-completion/completions|completions bash"
              "_deft|${data}/zsh/site-functions|completions zsh"
              "deft.fish|${data}/fish/vendor_completions.d|completions fish")
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 file)
    list(GET row 1 destination)
    list(GET row 2 arguments)
    separate_arguments(arguments)
    add_custom_command(OUTPUT ${share}/${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
      COMMAND deft_program ${arguments} > ${share}/${file}
      DEPENDS deft_program VERBATIM)
    list(APPEND made ${share}/${file})
    install(FILES ${share}/${file} DESTINATION ${destination})
  endforeach()
  add_custom_target(deft_share ALL DEPENDS ${made})
endfunction()
