# ./dev check: the rings of checks around the tests. Each runs though an earlier one failed.
# shellcheck shell=bash disable=SC2034,SC2154

# sanitize PRESET: builds with clang and sanitizers, and tests the CPU back end. That everything
# compiles with the second compiler is seen here too.
sanitize() {
    configure "$1"
    build "$1"
    ctest --preset "$1" -j "$jobs"
}

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}" \
    "${packages_format[@]}" "${packages_check[@]}"
step "images" fetch_images
export TESELA_IMAGES=$PWD/$image_folder
find_tools

try_step "formatting" scripts/dev/format --dry-run -Werror
try_step "layers" scripts/dev/check_layers
try_step "public headers" scripts/dev/check_headers
try_step "kernel rules" scripts/dev/check_kernels
step "configure" configure_for_test
step "build" build release
try_step "OpenCL texts" scripts/dev/check_opencl_texts build/src
try_step "vectorized loops" scripts/dev/check_vectorized build
try_step "symbols of CPU levels" scripts/dev/check_symbols build/src
try_step "consumer project" scripts/dev/check_consumer build
try_step "benchmarks" scripts/dev/smoke_benchmarks build/bin
try_step "oclgrind" scripts/dev/check_oclgrind build/bin
try_step "clang, threads" sanitize tsan
try_step "clang, address and undefined" sanitize asan
try_step "fuzzed image files" scripts/dev/check_fuzz build/asan/bin
finish_steps
