# cmake -D OUTPUT=x.c -D "FILES=a.json|b.json" -P embed.cmake
#
# Writes files as arrays of bytes, for the table in src/cli/demo.h. In CMake itself, so that building
# needs no other program.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${files})
  file(READ ${file} bytes HEX)
  # Sixteen bytes a line, as a compiler's message would be read.
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  get_filename_component(name ${file} NAME_WE)
  string(APPEND arrays "static const unsigned char text_${number}[] = {\n${bytes}\n};\n\n")
  string(APPEND rows "    {\"${name}\", text_${number}, sizeof text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/demo.h\"\n\n${arrays}"
  "const deft__demo_source deft__demo_sources[] = {\n${rows}};\n"
  "const size_t deft__demo_source_count = ${number};\n")
