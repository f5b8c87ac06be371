# ./dev check [--changed]: the rings of checks around the tests. Each runs though an earlier one failed.
# --changed: what takes seconds, and the tests of the families whose files differ from the last commit,
# or, where none does, that the last commit changed.
# shellcheck shell=bash disable=SC2034,SC2154

# The families of tests that a changed file concerns, a line each; `levels` has a small case of every
# algorithm and stands for files that many use.
families_of() {
    case $1 in
        tests/segmentation/*/* | tests/motion/*/*) basename "$(dirname "$1")" ;;
        tests/program/* | cli/common/*) printf 'cli\nexperiments\n' ;;
        tests/*/*) printf '%s\n' "$1" | cut -d/ -f2 ;;
        operations/*) printf 'operations\ncli\n' ;;
        cli/* | scripts/* | cmake/*) echo cli ;;
        experiments/*) echo experiments ;;
        src/io/*) echo io ;;
        src/core/*) echo core ;;
        src/compute/*) printf 'compute\nlevels\n' ;;
        src/evaluation/*) echo evaluation ;;
        src/motion/* | src/kernels/motion/*) echo motion ;;
        src/filters/* | src/kernels/filters/*) printf 'filters\nlevels\n' ;;
        src/segmentation/watershed/* | src/kernels/watershed/*) printf 'watershed\ngrowth\n' ;;
        src/segmentation/*/* | src/kernels/*/*) printf '%s\n' "$1" | cut -d/ -f3 ;;
        src/* | include/*) echo levels ;;
    esac
}

if [[ ${1:-} == --changed ]]; then
    mapfile -t changed < <(git diff --name-only HEAD && git ls-files --others --exclude-standard)
    [[ ${#changed[@]} -gt 0 ]] || mapfile -t changed < <(git diff --name-only HEAD~1 HEAD)
    mapfile -t families < <(for file in "${changed[@]}"; do families_of "$file"; done | sort -u |
        while read -r family; do grep -rqs "tesela_add_tests($family\b" tests && echo "$family"; done)
    step "formatting" scripts/dev/format --dry-run -Werror
    step "layers" scripts/dev/check_layers
    step "public headers" scripts/dev/check_headers
    step "kernel rules" scripts/dev/check_kernels
    say "families: ${families[*]:-none}"
    [[ ${#families[@]} -gt 0 ]] || exit 0
    exec ./dev test "${families[@]}"
fi

# sanitize PRESET [TARGET...]: builds with clang and sanitizers, and tests the CPU back end. That
# everything compiles with the second compiler is seen here too.
sanitize() {
    configure "$1"
    build "$@"
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
try_step "OpenCL texts" scripts/dev/check_opencl_texts build/src build/experiments
try_step "vectorized loops" scripts/dev/check_vectorized build
try_step "symbols of CPU levels" scripts/dev/check_symbols build/src build/experiments
try_step "consumer project" scripts/dev/check_consumer build
try_step "benchmarks" scripts/dev/smoke_benchmarks build/bin
try_step "damaged files" scripts/dev/attack build/bin 20
try_step "oclgrind" scripts/dev/check_oclgrind build/bin
try_step "clang, threads" sanitize tsan tests_compute tests_levels tests_sequence
try_step "clang, address and undefined" sanitize asan
try_step "fuzzed image files" scripts/dev/check_fuzz build/asan/bin
finish_steps
