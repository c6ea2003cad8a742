# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by cpack once the components are laid out: what Debian wants of every package beside them, its copyright and changelogs, and compressed
# manual pages.
find_program(GZIP gzip REQUIRED)
file(READ ${CPACK_TILEC_SOURCE}/LICENSE licence)
file(READ ${CPACK_TILEC_SOURCE}/THIRD-PARTY-NOTICES notices)
string(REGEX REPLACE ".*(--- LLVM Exceptions)" "\\1" exceptions "${licence}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(pair "tool tilec" "lib libtilec0" "dev libtilec-dev")
  string(REPLACE " " ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  set(doc ${share}/doc/${package})
  file(WRITE ${doc}/copyright "tilec: Apache-2.0 WITH LLVM-exception. The Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0 (the GNU GPL 3, which is\n"
    "named below, in /usr/share/common-licenses/GPL-3).\n\n${exceptions}\n${notices}")
  file(WRITE ${doc}/changelog.Debian
    "tilec (${CPACK_TILEC_DEBIAN_VERSION}) unstable; urgency=medium\n\n  * What has changed is in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  configure_file(${CPACK_TILEC_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
  file(GLOB_RECURSE pages ${share}/man/*.[13])
  execute_process(COMMAND ${GZIP} -9nf ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
