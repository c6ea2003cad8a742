# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM's archives, headers and flags, as its own llvm-config tells them. Not by find_package(LLVM): its targets have names without a prefix,
# and a project that this one is a part of may have found another LLVM under them.
#   TILEC_LLVM_VERSION, TILEC_LLVM_BIN, TILEC_LLVM_INCLUDE, TILEC_LLVM_FLAGS, TILEC_LLVM_LIBS
set(TILEC_LLVM_CONFIG "" CACHE FILEPATH "llvm-config of LLVM 22 or newer; by default LLVM_DIR's, Debian's, PATH's")

# The first that is 22 or newer.
function(tilec_find_llvm_config)
  set(candidates ${TILEC_LLVM_CONFIG})
  if(NOT TILEC_LLVM_CONFIG)
    if(LLVM_DIR)
      set(candidates ${LLVM_DIR}/../../../bin/llvm-config)
    endif()
    list(APPEND candidates /usr/lib/llvm-22/bin/llvm-config llvm-config-22 llvm-config)
  endif()
  foreach(candidate ${candidates})
    execute_process(COMMAND ${candidate} --version RESULT_VARIABLE failed OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND version VERSION_GREATER_EQUAL 22)
      message(STATUS "tilec: LLVM ${version}, by ${candidate}")
      set(TILEC_LLVM_CONFIG_FOUND ${candidate} PARENT_SCOPE)
      set(TILEC_LLVM_VERSION ${version} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "LLVM 22 or newer is needed (Debian: llvm-22-dev); where it is elsewhere: -DTILEC_LLVM_CONFIG=.../bin/llvm-config")
endfunction()

function(tilec_llvm_config out)
  execute_process(COMMAND ${TILEC_LLVM_CONFIG_FOUND} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE failed ERROR_VARIABLE error OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "${TILEC_LLVM_CONFIG_FOUND} ${ARGN}: ${error}")
  endif()
  separate_arguments(words UNIX_COMMAND "${text}")
  set(${out} ${words} PARENT_SCOPE)
endfunction()

tilec_find_llvm_config()
tilec_llvm_config(TILEC_LLVM_BIN --bindir)
tilec_llvm_config(TILEC_LLVM_INCLUDE --includedir)
tilec_llvm_config(TILEC_LLVM_FLAGS --cppflags)
list(FILTER TILEC_LLVM_FLAGS EXCLUDE REGEX "^-I")
tilec_llvm_config(TILEC_LLVM_LIBS --link-static --libfiles core nvptxcodegen nvptxdesc nvptxinfo passes bitreader linker)
# For another architecture: llvm-config is this machine's, and the archives are those of the same version under TILEC_LLVM_ROOT.
if(TILEC_LLVM_ROOT)
  list(TRANSFORM TILEC_LLVM_LIBS PREPEND ${TILEC_LLVM_ROOT})
  add_link_options(-L${TILEC_LLVM_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
# What LLVM's archives need goes in statically too, where the distribution has it so; what none of ours needs is left out. The packages of a
# distribution want it shared.
option(TILEC_STATIC_ZLIB "zlib and zstd are linked in" ON)
tilec_llvm_config(system --link-static --system-libs)
if(TILEC_LLVM_ROOT)
  list(FILTER system EXCLUDE REGEX "^/") # this machine's libz3, which none of ours needs
endif()
foreach(name z zstd)
  find_library(TILEC_LIB_${name} lib${name}.a)
  if(TILEC_LIB_${name} AND TILEC_STATIC_ZLIB)
    list(TRANSFORM system REPLACE "^-l${name}$" ${TILEC_LIB_${name}})
  endif()
endforeach()
list(APPEND TILEC_LLVM_LIBS ${system})
