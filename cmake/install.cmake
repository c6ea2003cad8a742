# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install, in three components: tool (the command), lib (libtilec.so.0) and dev (what programs are built with). What is installed
# may be moved as a whole: nothing in it has its own place written down.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TILEC_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)

# tilec_needs(COMPONENT FILE...): the component says at once what of it is not built.
function(tilec_needs component)
  foreach(file IN LISTS ARGN)
    install(CODE "if(NOT EXISTS \"${file}\")
  message(FATAL_ERROR \"${file} is not built yet. Build everything first: ./dev build, or cmake --build ${PROJECT_BINARY_DIR}. Or install a part of it: --component tool, lib, dev or doc.\")
endif()" COMPONENT ${component})
  endforeach()
endfunction()
tilec_needs(tool ${PROJECT_BINARY_DIR}/tilec)
tilec_needs(lib ${PROJECT_BINARY_DIR}/libtilec.so.${PROJECT_VERSION})

install(TARGETS tilec EXPORT tilec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
install(TARGETS tilec_shared EXPORT tilec
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib NAMELINK_COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${TILEC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec COMPONENT dev)

# The licence, and those of what is linked in.
install(FILES LICENSE THIRD-PARTY-NOTICES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)

include(cmake/pages.cmake)

# find_package(tilec). Not in the build folder itself: with that on PATH, find_package would take the configuration, which has no targets there.
file(REMOVE ${PROJECT_BINARY_DIR}/tilec-config.cmake ${PROJECT_BINARY_DIR}/tilec-config-version.cmake) # of older versions
install(EXPORT tilec NAMESPACE tilec:: FILE tilec-targets.cmake DESTINATION ${TILEC_INSTALL_CMAKEDIR} COMPONENT dev)
configure_package_config_file(cmake/tilec-config.cmake.in ${PROJECT_BINARY_DIR}/generated/tilec-config.cmake INSTALL_DESTINATION ${TILEC_INSTALL_CMAKEDIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/tilec-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/tilec-kernels.cmake ${PROJECT_BINARY_DIR}/generated/tilec-config.cmake ${PROJECT_BINARY_DIR}/generated/tilec-config-version.cmake
  DESTINATION ${TILEC_INSTALL_CMAKEDIR} COMPONENT dev)

# pkg-config tilec
function(tilec_pc_folder name folder)
  if(IS_ABSOLUTE "${folder}")
    set(${name} ${folder} PARENT_SCOPE)
  else()
    set(${name} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(TILEC_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(TILEC_PC_PREFIX "\${pcfiledir}/${up}")
endif()
tilec_pc_folder(TILEC_PC_BINDIR "${CMAKE_INSTALL_BINDIR}")
tilec_pc_folder(TILEC_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
tilec_pc_folder(TILEC_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/tilec.pc.in ${PROJECT_BINARY_DIR}/tilec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tilec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
