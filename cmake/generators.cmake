# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# re2c lexers (X.re -> X.c) and Lemon grammars (X.y -> X.c, X.h) under <build>/generated/<folder>.
find_program(TILEC_RE2C re2c REQUIRED)
find_program(TILEC_LEMON lemon REQUIRED)
find_file(TILEC_LEMPAR lempar.c PATHS /usr/share/lemon REQUIRED)

# tilec_generate(OUT folder): OUT becomes the generated sources of that folder.
function(tilec_generate out folder)
  set(dir ${PROJECT_BINARY_DIR}/generated/${folder})
  file(MAKE_DIRECTORY ${dir})
  file(GLOB lexers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.re)
  file(GLOB grammars CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.y)
  set(generated)
  foreach(lexer ${lexers})
    get_filename_component(stem ${lexer} NAME_WE)
    add_custom_command(OUTPUT ${dir}/${stem}.c DEPENDS ${lexer}
      COMMAND ${TILEC_RE2C} --no-generation-date -i -W -Werror -o ${dir}/${stem}.c ${lexer} VERBATIM)
    list(APPEND generated ${dir}/${stem}.c)
  endforeach()
  foreach(grammar ${grammars})
    get_filename_component(stem ${grammar} NAME_WE)
    add_custom_command(OUTPUT ${dir}/${stem}.c ${dir}/${stem}.h DEPENDS ${grammar} ${TILEC_LEMPAR}
      COMMAND ${TILEC_LEMON} -q -s -l -T${TILEC_LEMPAR} -d${dir} ${grammar} VERBATIM)
    list(APPEND generated ${dir}/${stem}.c ${dir}/${stem}.h)
  endforeach()
  if(generated)
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "-w")
  endif()
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
