# ./dev check [--changed | --all | --distribution NAME]: the rings of checks around the tests. Each runs though
# an earlier one failed.
#
# Sanitizers run over the families of tests that concern what changed since the whole ring was last run
# (.ci/whole-ring names that commit), the nearest first, for $TESELA_SANITIZER_MINUTES (15) each; families
# that did not fit are named.
# --all: sanitizers over all families, without a limit; notes the commit in .ci/whole-ring when it passes.
# --changed: what takes seconds, and the tests of the families nearest to what differs from the last commit,
# or, where nothing does, to what the last commit changed.
# --distribution NAME [ARGUMENT...]: `./dev test ARGUMENT...` under another release of Debian, such as trixie.
# shellcheck shell=bash disable=SC2034,SC2154

case ${1:-} in
    '' | --changed | --all | --distribution) ;;
    *) die "check: unknown option '$1'; there are --changed, --all and --distribution" ;;
esac

if [[ ${1:-} == --distribution ]]; then
    [[ -n ${2:-} ]] || die "check --distribution: name a release of Debian, such as trixie"
    step "packages" install_packages debootstrap debian-archive-keyring
    step "./dev test in $2" scripts/dev/check_distribution "$2" ./dev test "${@:3}"
    exit 0
fi

if [[ ${1:-} == --changed ]]; then
    base=HEAD
    [[ -n $(git status --porcelain) ]] || base=HEAD~1
    mapfile -t families < <(scripts/dev/changed_families "$base" | awk '$1 < 2 { print $2 }')
    step "formatting" scripts/dev/format --dry-run -Werror
    step "layers" scripts/dev/check_layers
    step "public headers" scripts/dev/check_headers
    step "names of types" scripts/dev/check_names
    step "kernel rules" scripts/dev/check_kernels
    step "levels of the CPU" scripts/dev/check_levels
    step "rows of the documentation" scripts/dev/check_rows
    say "families: ${families[*]:-none}"
    [[ ${#families[@]} -gt 0 ]] || exit 0
    exec ./dev test "${families[@]}"
fi

# The families that sanitizers run over, the nearest first; Clang does not compile ITK's filters.
sanitized_families() {
    local base
    base=$(cat .ci/whole-ring)
    if [[ $1 == --all ]] || ! git cat-file -e "$base^{commit}" 2>/dev/null; then
        git grep -ho '^tesela_add_tests([a-z_]*' -- tests | cut -d'(' -f2
    else
        scripts/dev/changed_families "$base" | cut -d' ' -f2
    fi | grep -vx itk
}

# Fuzzers and sanitizers stop at $TESELA_CHECK_END, seconds since the epoch; with --all they do not.
limit_end=${TESELA_CHECK_END:-}
[[ ${1:-} != --all ]] || limit_end=

# Sets when the sanitizers of the next step stop.
limit_sanitizers() {
    [[ $1 != --all ]] || return 0
    limit_end=$((EPOCHSECONDS + 60 * ${TESELA_SANITIZER_MINUTES:-15}))
    [[ ${TESELA_CHECK_END:-$limit_end} -ge $limit_end ]] || limit_end=$TESELA_CHECK_END
}

# before_limit COMMAND...: runs it within what is left of the time; 124 where that is used up. Ninja ends its compilers
# when it is ended; `cmake --build` leaves it running.
before_limit() {
    if [[ -z $limit_end ]]; then
        "$@"
        return
    fi
    local left=$((limit_end - EPOCHSECONDS))
    [[ $left -gt 0 ]] || return 124
    timeout --foreground "$left" "$@"
}

# sanitize PRESET FAMILY...: builds the tests of each family with clang and sanitizers and runs them on the
# CPU. That the family compiles with the second compiler is seen here too.
sanitize() {
    local preset=$1 family status
    shift
    local -a run=() not_run=()
    for family; do
        status=0
        { before_limit ninja -C "build/$preset" -j "$jobs" "tests_$family" &&
            before_limit ctest --preset "$preset" -j "$jobs" -L "^$family\$"; } || status=$?
        case $status in
            0) run+=("$family") ;;
            124) not_run+=("$family") ;;
            *) return "$status" ;;
        esac
    done
    say "$preset: ${#run[@]} families passed (${run[*]:-none}); not run: ${not_run[*]:-none}"
}

# Builds the fuzzers, which share their objects with the tests under AddressSanitizer, and runs them.
fuzz() {
    local status=0
    configure asan
    { before_limit ninja -C build/asan -j "$jobs" tesela_fuzz_read_image tesela_fuzz_seeds tesela_fuzz_http \
        tesela_fuzz_requests &&
        before_limit scripts/dev/check_fuzz build/asan/bin; } || status=$?
    [[ $status -ne 124 ]] || say "not run: the time for checks was used up"
    [[ $status -eq 124 || $status -eq 0 ]]
}

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}" \
    "${packages_format[@]}" "${packages_check[@]}"
step "images" fetch_images
export TESELA_IMAGES=$PWD/$image_folder
find_tools

try_step "formatting" scripts/dev/format --dry-run -Werror
try_step "layers" scripts/dev/check_layers
try_step "public headers" scripts/dev/check_headers
try_step "names of types" scripts/dev/check_names
try_step "kernel rules" scripts/dev/check_kernels
try_step "levels of the CPU" scripts/dev/check_levels
try_step "rows of the documentation" scripts/dev/check_rows
step "configure" configure_for_test
step "build" build release
try_step "libraries at the start" scripts/dev/check_start build/bin/tesela
try_step "OpenCL texts" scripts/dev/check_opencl_texts build/src build/experiments
try_step "vectorized loops" scripts/dev/check_vectorized build
try_step "symbols of CPU levels" scripts/dev/check_symbols build/src build/experiments
try_step "DICOM files of pydicom" scripts/dev/check_dicom build
try_step "written files in other programs" scripts/dev/check_formats build
try_step "consumer project" scripts/dev/check_consumer build
try_step "viewer in a browser" scripts/dev/check_viewer build/bin/tesela
try_step "wheel for Python" scripts/dev/check_wheel build
try_step "widgets for napari" scripts/dev/check_napari build
try_step "Debian packages" scripts/dev/check_packages build
try_step "module under every Python" scripts/dev/check_pythons build
try_step "benchmarks" scripts/dev/smoke_benchmarks build/bin
try_step "damaged files" scripts/dev/attack build/bin 20
try_step "oclgrind" scripts/dev/check_oclgrind build/bin
try_step "fuzzed files and requests, with clang" fuzz

mapfile -t families < <(sanitized_families "${1:-}")
mapfile -t threaded < <(printf '%s\n' "${families[@]}" | grep -xE 'compute|levels|sequence' || true)
limit_sanitizers "${1:-}"
try_step "address and undefined, with clang" sanitize asan "${families[@]}"
if [[ ${#threaded[@]} -gt 0 ]]; then
    step "configure for threads" configure tsan
    limit_sanitizers "${1:-}"
    try_step "threads, with clang" sanitize tsan "${threaded[@]}"
fi
if [[ ${1:-} == --all && $steps_failed -eq 0 ]]; then
    git rev-parse HEAD >.ci/whole-ring
    say "the whole ring passed: commit .ci/whole-ring, so that later checks start from here"
fi
finish_steps
