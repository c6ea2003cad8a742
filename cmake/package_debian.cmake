# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by cpack once the components are laid out: what Debian wants of every package beside them, its copyright and changelog, and compressed
# manual pages.
find_program(GZIP gzip REQUIRED)
foreach(pair "tool tilec" "lib libtilec0" "dev libtilec-dev")
  string(REPLACE " " ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  file(MAKE_DIRECTORY ${root}/doc/${package})
  file(READ ${CPACK_TILEC_SOURCE}/LICENSE licence)
  file(READ ${CPACK_TILEC_SOURCE}/THIRD-PARTY-NOTICES notices)
  file(WRITE ${root}/doc/${package}/copyright "tilec\n\n${licence}\n${notices}")
  configure_file(${CPACK_TILEC_SOURCE}/CHANGELOG.md ${root}/doc/${package}/changelog COPYONLY)
  file(GLOB_RECURSE pages ${root}/man/*.[13])
  execute_process(COMMAND ${GZIP} -9nf ${root}/doc/${package}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
endforeach()
