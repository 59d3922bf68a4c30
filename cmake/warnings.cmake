# The warnings every file of ours is compiled with, by gcc and by clang.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wcast-qual
  -Wformat=2 -Wundef -Wwrite-strings -Wpointer-arith -Wvla -Wdouble-promotion -Wswitch-enum)
# C++, of which a benchmark has some, knows only the new ways to declare a function.
add_compile_options(
  "$<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes;-Wstrict-prototypes;-Wold-style-definition>")
if(DEFT_WERROR)
  add_compile_options(-Werror)
endif()

# Both compilers forget about errors they could have seen without these.
add_compile_options(-fno-strict-aliasing -fno-common)
add_compile_definitions(_POSIX_C_SOURCE=200809L)
