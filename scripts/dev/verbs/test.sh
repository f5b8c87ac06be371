# ./dev test [CTEST_ARGUMENT...]: builds everything and runs every test on the CPU and on OpenCL.
# shellcheck shell=bash disable=SC2034,SC2154

# Data that is not in any package; tests that need it are skipped, saying so, where it is absent.
if [[ -z ${TESELA_DATA:-} && -d ../shared/data ]]; then
    TESELA_DATA=$(cd ../shared/data && pwd)
    export TESELA_DATA
fi

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}"
step "images" fetch_images
export TESELA_IMAGES=$PWD/$image_folder
find_tools
step "configure" configure_for_test
step "build" build release

# Ends with ctest's own exit status; the console output tells what was skipped.
run_tests() { ctest --preset release -j "$jobs" "$@" | tee build/log/tests.log; }

step "tests" run_tests "$@"
step "skipped tests" scripts/dev/check_skips tests/allowed_skips.txt build/log/tests.log \
    build/Testing/Temporary/LastTest.log
say "all steps: $(seconds_since "$all_started")"
