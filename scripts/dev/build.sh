# Sourced by ./dev: finds the tools, configures and builds.
# shellcheck shell=bash disable=SC2034,SC2154

jobs=${TESELA_JOBS:-$(nproc)}

# ccache, which the build uses where it finds it, keeps its objects in the user's cache folder and
# shares them between checkouts.
find_tools() {
    if command -v ccache >/dev/null; then
        export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ccache}
        export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
        # What lets it keep sources that are compiled with precompiled headers.
        export CCACHE_SLOPPINESS=pch_defines,time_macros
    fi
    find_nvcc || say "CUDA back end: not built (no nvcc of 12.5 or newer; ./dev cuda installs one)"
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

# The highest level of x86-64 that kernels are built for and that this processor has: v2, v3 or v4.
cpu_level() {
    local flags
    flags=$(grep -m 1 '^flags' /proc/cpuinfo || true)
    case " $flags " in
        *" avx512vl "*) echo v4 ;;
        *" avx2 "*) echo v3 ;;
        *) echo v2 ;;
    esac
}

# The demo needs neither test nor benchmark libraries, and kernels for this machine alone; objects of host
# code are the same as in the full build, with which it shares its folder. The choice of an earlier full
# configuration is left alone.
configure_for_demo() {
    if grep -qs '^TESELA_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt; then
        configure release
        return
    fi
    local levels cuda=OFF left_out="tests and benchmarks"
    build_page
    levels=$(printf '%s\n' v2 "$(cpu_level)" | sort -u | paste -sd ';')
    if gpu_is_there; then
        cuda=ON
    else
        left_out="CUDA (no GPU found), $left_out"
    fi
    configure release -DBUILD_SHARED_LIBS=ON -DTESELA_BUILD_TESTS=OFF -DTESELA_BUILD_BENCHMARKS=OFF \
        -DTESELA_WITH_CUDA=$cuda "-DTESELA_CPU_LEVELS=$levels"
    say "left out: $left_out, kernels of CPU levels other than ${levels/;/ and }; ./dev test builds them"
}

configure_for_test() {
    build_page
    configure release -DBUILD_SHARED_LIBS=ON -DTESELA_BUILD_TESTS=ON -DTESELA_BUILD_BENCHMARKS=ON \
        -DTESELA_WITH_CUDA=ON "-DTESELA_CPU_LEVELS=v2;v3;v4"
}
