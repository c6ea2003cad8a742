# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# re2c lexers (X.re -> X.c), Lemon grammars (X.y -> X.c, X.h) and matchers of rewrite rules (rules.def -> rules_SET.h), under
# <build>/generated in the folder of their source.
find_program(TILEC_RE2C re2c REQUIRED)
find_program(TILEC_LEMON lemon REQUIRED)
find_program(TILEC_PYTHON python3 REQUIRED)
find_file(TILEC_LEMPAR lempar.c PATHS /usr/share/lemon REQUIRED)

# tilec_place(SOURCE): `dir`, where what is made of the source goes, and `stem`, its name without an ending.
macro(tilec_place source)
  get_filename_component(stem ${source} NAME_WE)
  get_filename_component(dir ${source} DIRECTORY)
  file(RELATIVE_PATH dir ${PROJECT_SOURCE_DIR} ${dir})
  set(dir ${PROJECT_BINARY_DIR}/generated/${dir})
  file(MAKE_DIRECTORY ${dir})
endmacro()

# tilec_generate(OUT room): OUT becomes the generated sources of that room.
function(tilec_generate out room)
  file(GLOB_RECURSE lexers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.re)
  file(GLOB_RECURSE grammars CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.y)
  set(generated)
  foreach(lexer ${lexers})
    tilec_place(${lexer})
    add_custom_command(OUTPUT ${dir}/${stem}.c DEPENDS ${lexer}
      COMMAND ${TILEC_RE2C} --no-generation-date -i -W -Werror -o ${dir}/${stem}.c ${lexer} VERBATIM)
    list(APPEND generated ${dir}/${stem}.c)
  endforeach()
  foreach(grammar ${grammars})
    tilec_place(${grammar})
    add_custom_command(OUTPUT ${dir}/${stem}.c ${dir}/${stem}.h DEPENDS ${grammar} ${TILEC_LEMPAR}
      COMMAND ${TILEC_LEMON} -q -s -l -T${TILEC_LEMPAR} -d${dir} ${grammar} VERBATIM)
    list(APPEND generated ${dir}/${stem}.c ${dir}/${stem}.h)
  endforeach()
  if(generated)
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "-w")
  endif()
  set(rules ${PROJECT_SOURCE_DIR}/${room}/rules.def)
  if(EXISTS ${rules})
    tilec_place(${rules})
    file(STRINGS ${rules} sets REGEX "^SET ")
    list(TRANSFORM sets REPLACE "^SET ([a-z_]+).*" "${dir}/rules_\\1.h")
    add_custom_command(OUTPUT ${sets} DEPENDS ${rules} ${PROJECT_SOURCE_DIR}/ir/ops.def ${PROJECT_SOURCE_DIR}/cmake/rules.py
      COMMAND ${TILEC_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/rules.py ${rules} ${PROJECT_SOURCE_DIR}/ir/ops.def ${dir} VERBATIM)
    list(APPEND generated ${sets})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rules})
  endif()
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
