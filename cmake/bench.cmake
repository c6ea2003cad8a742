# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs of bench/.
# The simulator's speed (bench/RESULTS.md).
add_executable(sim_bench EXCLUDE_FROM_ALL bench/sim_bench.c)
target_link_libraries(sim_bench PRIVATE tilec_sim)
set_target_properties(sim_bench PROPERTIES LINKER_LANGUAGE CXX) # base/demangle.c calls the C++ runtime
# The front end's, with its bars in tests/groups/limits.
add_executable(frontend_bench bench/frontend_bench.c)
# Compile times by stage, of the kernels of bench/compile_cases.
add_executable(compile_bench bench/compile_bench.c)
foreach(program frontend_bench compile_bench)
  target_link_libraries(${program} PRIVATE tilec_runtime)
  target_link_options(${program} PRIVATE -Wl,--gc-sections)
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
endforeach()
# What a launch costs the host, on a GPU (bench/run).
add_executable(launch_bench bench/launch_bench.c)
target_link_libraries(launch_bench PRIVATE tilec_shared ${CMAKE_DL_LIBS})
set_target_properties(launch_bench PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
# From a process's start to its first launch, by way of the cache on disk.
add_executable(first_launch bench/first_launch.c)
target_link_libraries(first_launch PRIVATE tilec_shared)
set_target_properties(first_launch PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
set_source_files_properties(bench/frontend_bench.c bench/compile_bench.c bench/launch_bench.c bench/first_launch.c PROPERTIES COMPILE_OPTIONS "${TILEC_WARNINGS}")
