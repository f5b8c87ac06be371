# ./dev test [FAMILY...] [CTEST_ARGUMENT...]: builds everything, or the named families of tests alone,
# and runs the tests on the CPU and on OpenCL. A family is a folder that tests/*/CMakeLists.txt names,
# such as mean_shift, motion or cli.
# shellcheck shell=bash disable=SC2034,SC2154

# Data that is not in any package; tests that need it are skipped, saying so, where it is absent.
if [[ -z ${TESELA_DATA:-} && -d ../shared/data ]]; then
    TESELA_DATA=$(cd ../shared/data && pwd)
    export TESELA_DATA
fi

families=()
while [[ $# -gt 0 && $1 != -* ]]; do
    families+=("$1")
    shift
done
targets=()
[[ ${#families[@]} -eq 0 ]] || targets=(tesela_cli "${families[@]/#/tests_}")

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}"
step "images" fetch_images
if [[ -z ${TESELA_NO_INSTALL:-} ]] && gpu_is_there; then step "CUDA compiler" install_cuda; fi
export TESELA_IMAGES=$PWD/$image_folder
find_tools
step "configure" configure_for_test
step "build" build release "${targets[@]}"

# Why OpenCL is not tested, where there is no device of it; Debian's PoCL always is one.
without_opencl=
if ! build/bin/tesela devices | grep -q '^opencl:'; then
    without_opencl=$(build/bin/tesela devices 2>&1 | grep -i -m 1 -E 'opencl|pocl' || true)
    without_opencl="OpenCL was not tested: ${without_opencl:-no device}"
fi

# Ends with ctest's own exit status; the console output tells what was skipped.
run_tests() {
    local -a options=(-j "$jobs")
    [[ ${#families[@]} -eq 0 ]] || options+=(-L "^($(IFS='|' && echo "${families[*]}"))\$")
    [[ -z $without_opencl ]] || options+=(-LE '^opencl$')
    ctest --preset release "${options[@]}" "$@" | tee build/log/tests.log
}

step "tests" run_tests "$@"
step "skipped tests" scripts/dev/check_skips tests/allowed_skips.txt build/log/tests.log \
    build/Testing/Temporary/LastTest.log
[[ -z $without_opencl ]] || say "$without_opencl"
say "all steps: $(seconds_since "$all_started")"
