# Sourced by ./dev: finds the tools, configures and builds.
# shellcheck shell=bash disable=SC2034,SC2154

jobs=${TESELA_JOBS:-$(nproc)}

# nvcc is often installed but not on PATH. ccache, which the build uses where it finds it, keeps its
# objects in the user's cache folder and shares them between checkouts.
find_tools() {
    if ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
        PATH=$PATH:/usr/local/cuda/bin
    fi
    if command -v ccache >/dev/null; then
        export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ccache}
        export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    fi
    if ! command -v nvcc >/dev/null; then
        say "CUDA back end: not built (no nvcc)"
    fi
}

# configure PRESET [CMAKE_ARGUMENT...]: the output goes to build/log, shown when it fails.
configure() {
    local preset=$1 log=build/log/configure-$1.log
    shift
    mkdir -p build/log
    if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        die "cmake --preset $preset failed (the whole output: $log)"
    fi
}

# build PRESET [TARGET...]
build() {
    local preset=$1
    shift
    cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# The demo needs neither test nor benchmark libraries. It shares its folder with the full build, and
# leaves the choice of an earlier full configuration alone.
configure_for_demo() {
    if [[ -f build/CMakeCache.txt ]]; then
        configure release
    else
        configure release -DBUILD_SHARED_LIBS=ON -DTESELA_BUILD_TESTS=OFF \
            -DTESELA_BUILD_BENCHMARKS=OFF
    fi
}

configure_for_test() {
    configure release -DBUILD_SHARED_LIBS=ON -DTESELA_BUILD_TESTS=ON -DTESELA_BUILD_BENCHMARKS=ON
}
