# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The manual page and the shells' completions, made by pages.py from the tables that the command reads, and where they are installed.
set(TILEC_BASH_COMPLETIONS share/bash-completion/completions CACHE STRING "Where bash looks for completions")
set(TILEC_ZSH_COMPLETIONS share/zsh/site-functions CACHE STRING "Where zsh looks for completions")
set(TILEC_FISH_COMPLETIONS share/fish/vendor_completions.d CACHE STRING "Where fish looks for completions")

file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/options/*.def)
foreach(table target/target.def passes/passes.def ir/spec.c ir/fp32_dot.def runtime/tilec.h)
  list(APPEND tables ${PROJECT_SOURCE_DIR}/${table})
endforeach()

# tilec_page(KIND FILE FOLDER)
function(tilec_page kind file folder)
  set(path ${PROJECT_BINARY_DIR}/pages/${file})
  add_custom_command(OUTPUT ${path} DEPENDS ${tables} ${PROJECT_SOURCE_DIR}/cmake/pages.py
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/pages
    COMMAND ${TILEC_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/pages.py ${kind} > ${path} VERBATIM)
  tilec_needs(tool ${path})
  install(FILES ${path} DESTINATION ${folder} COMPONENT tool)
  set_property(GLOBAL APPEND PROPERTY TILEC_PAGES ${path})
endfunction()
tilec_page(man tilec.1 ${CMAKE_INSTALL_MANDIR}/man1)
tilec_page(bash tilec ${TILEC_BASH_COMPLETIONS})
tilec_page(zsh _tilec ${TILEC_ZSH_COMPLETIONS})
tilec_page(fish tilec.fish ${TILEC_FISH_COMPLETIONS})
get_property(pages GLOBAL PROPERTY TILEC_PAGES)
add_custom_target(tilec_all_pages ALL DEPENDS ${pages})
