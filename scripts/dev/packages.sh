# Sourced by ./dev: installs the Debian or Ubuntu packages that a verb needs and that are missing.
# shellcheck shell=bash disable=SC2034,SC2154

# What the back ends need says the build file of each.
mapfile -t packages_back_ends < <(
    sed -n 's/^# Debian packages: //p' src/compute/*/back_end.cmake | tr ' ' '\n')
# Debian 12 has two versions of Boost, of which the older one is the default.
package_boost=libboost-dev
if grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then package_boost=libboost1.81-dev; fi
# Compiler and libraries of the program itself; what `pip install` needs.
packages_libraries=(
    g++ pkg-config
    "${packages_back_ends[@]}"
    libpng-dev libjpeg-dev libtiff-dev libinsighttoolkit5-dev libpugixml-dev libopenslide-dev libwebp-dev
    libzstd-dev libxxhash-dev libisal-dev libdeflate-dev libblosc-dev
    libsvm-dev libeigen3-dev
    libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev "$package_boost"
)
packages_build=(
    "${packages_libraries[@]}"
    cmake ninja-build ccache git ca-certificates
    libavformat-dev libavcodec-dev libavutil-dev libswscale-dev
    python3-dev
)
# Test and benchmark libraries, and an OpenCL device that every machine can have.
packages_test=(libgtest-dev libbenchmark-dev ocl-icd-libopencl1 pocl-opencl-icd python3-tifffile python3-numpy liblapack3 libgeos-dev libzfp-dev)
# One pinned version, so that formatting and the second compiler agree everywhere.
packages_format=(clang-format-14)
packages_check=(libopencv-core-dev clang-14 libclang-rt-14-dev oclgrind dicom3tools imagej default-jdk-headless libtiff-tools python3-venv dpkg-dev file mmdebstrap uidmap)
# The browser in which the viewer's page is tried, where npm can build the page; Ubuntu has it as a snap alone.
if command -v npm >/dev/null && grep -qs '^ID=debian' /etc/os-release; then packages_check+=(chromium); fi

# installed PACKAGE...: prints those of the packages that are not installed.
missing_packages() {
    local have
    have=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
    local name
    for name in "$@"; do
        [[ $have == *" installed:$name "* ]] || printf '%s\n' "$name"
    done
}

# Runs apt-get as root, through sudo where needed.
apt_get_as_root() {
    local -a command=(env DEBIAN_FRONTEND=noninteractive apt-get
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@")
    if [[ $EUID -eq 0 ]]; then
        "${command[@]}"
    else
        sudo "${command[@]}"
    fi
}

# install_packages PACKAGE...: a no-op of some milliseconds when all are there.
install_packages() {
    if [[ -n ${TESELA_NO_INSTALL:-} ]]; then
        say "packages: not looked at (TESELA_NO_INSTALL is set)"
        return
    fi
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        die "this system has no apt-get; install what these Debian packages hold, then set" \
            "TESELA_NO_INSTALL=1: $*"
    fi
    local -a missing
    mapfile -t missing < <(missing_packages "$@")
    if [[ ${#missing[@]} -eq 0 ]]; then
        say "packages: all $# are installed"
        return
    fi
    if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
        die "packages are missing and this user is neither root nor has sudo; ask an" \
            "administrator for: apt-get install ${missing[*]}"
    fi
    say "packages: installing ${missing[*]}"
    local log=build/log/packages.log
    mkdir -p build/log
    if ! { apt_get_as_root update && apt_get_as_root install -y --no-install-recommends \
        "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "apt-get could not install ${missing[*]} (the whole output: $log)"
    fi
}
