# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The manual page and the shells' completions, made by tools/pages from the tables that the command reads, and where they are installed.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/pages/*.c)
add_executable(tilec_pages ${sources})
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${TILEC_WARNINGS}")
target_link_libraries(tilec_pages PRIVATE tilec_tools)
target_link_options(tilec_pages PRIVATE -Wl,--gc-sections)
set_target_properties(tilec_pages PROPERTIES LINKER_LANGUAGE CXX)
set(TILEC_BASH_COMPLETIONS share/bash-completion/completions CACHE STRING "Where bash looks for completions")
set(TILEC_ZSH_COMPLETIONS share/zsh/site-functions CACHE STRING "Where zsh looks for completions")
set(TILEC_FISH_COMPLETIONS share/fish/vendor_completions.d CACHE STRING "Where fish looks for completions")

# tilec_page(KIND FILE FOLDER)
function(tilec_page kind file folder)
  set(path ${PROJECT_BINARY_DIR}/pages/${file})
  add_custom_command(OUTPUT ${path} DEPENDS tilec_pages
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/pages
    COMMAND tilec_pages ${kind} > ${path} VERBATIM)
  tilec_needs(tool ${path})
  install(FILES ${path} DESTINATION ${folder} COMPONENT tool)
  set_property(TARGET tilec_pages APPEND PROPERTY TILEC_PAGES ${path})
endfunction()
tilec_page(man tilec.1 ${CMAKE_INSTALL_MANDIR}/man1)
tilec_page(bash tilec ${TILEC_BASH_COMPLETIONS})
tilec_page(zsh _tilec ${TILEC_ZSH_COMPLETIONS})
tilec_page(fish tilec.fish ${TILEC_FISH_COMPLETIONS})
get_target_property(pages tilec_pages TILEC_PAGES)
add_custom_target(tilec_all_pages ALL DEPENDS ${pages})
