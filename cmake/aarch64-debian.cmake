# Toolchain file: builds all of the engine for AArch64 with Debian's packages of that machine, which tests/aarch64/engine.sh lays out in
# build/aarch64-root, and the compilers gcc-aarch64-linux-gnu and g++-aarch64-linux-gnu.
include(${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-cpu;max;-L;${CMAKE_SYSROOT})
