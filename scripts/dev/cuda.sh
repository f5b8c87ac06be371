# Sourced by ./dev: the CUDA compiler, the machine's own or one from PyPI in .cache/cuda.
# shellcheck shell=bash disable=SC2034,SC2154

cuda_home=.cache/cuda
cuda_pins=scripts/dev/cuda-requirements.txt

# Whether .cache/cuda holds the pinned versions. The copy of the pins came last.
cuda_is_installed() { cmp -s "$cuda_pins" "$cuda_home/requirements.txt"; }

# nvcc is often installed but not on PATH, or older than src/compute/cuda/kernels.cmake takes.
find_nvcc() {
    if cuda_is_installed; then
        PATH=$PWD/$cuda_home/nvidia/cu13/bin:$PATH
        return
    fi
    command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
    [[ $(nvcc --version 2>/dev/null) =~ release\ ([0-9]+)\.([0-9]+) ]] &&
        ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 1205))
}

gpu_is_there() { [[ -e /proc/driver/nvidia/version || -e /dev/nvidiactl || -e /dev/dxg ]]; }

# The wheels have the layout of an installed toolkit, without the names by which CMake and the linker
# look for its libraries.
link_libraries() {
    local library
    ln -s lib "$1/lib64"
    for library in "$1"/lib/lib*.so.*; do
        ln -sf "${library##*/}" "${library%%.so.*}.so"
    done
}

# Fills the folder under another name first, so that a half-done installation never counts.
fill_cuda_home() {
    local part=$cuda_home.part log=build/log/cuda.log
    mkdir -p build/log .cache
    rm -rf "$part"
    if ! { python3 -m venv "$part/pip" && "$part/pip/bin/pip" install --disable-pip-version-check \
        --require-hashes --no-deps --only-binary :all: --target "$part/cuda" -r "$cuda_pins"; } \
        >"$log" 2>&1; then
        rm -rf "$part"
        tail -n 5 "$log" >&2
        die "cannot install the CUDA compiler from PyPI; is the machine online?" \
            "(the whole output: $log)"
    fi
    link_libraries "$part/cuda/nvidia/cu13"
    # ccache knows a compiler by its size and date: the same pins, the same date in every checkout.
    touch -d "@$(($(cksum <"$cuda_pins" | cut -d' ' -f1) % 1000000000))" \
        "$part/cuda/nvidia/cu13/bin/nvcc"
    cp "$cuda_pins" "$part/cuda/requirements.txt"
    rm -rf "$cuda_home"
    mv "$part/cuda" "$cuda_home"
    rm -rf "$part"
}

# A no-op of some milliseconds when nothing is missing.
install_cuda() {
    if find_nvcc; then
        say "CUDA compiler: $(command -v nvcc)"
        return
    fi
    [[ $(uname -m) == x86_64 ]] ||
        die "the CUDA compiler from PyPI is for x86-64; install NVIDIA's toolkit for $(uname -m)"
    install_packages python3-venv
    say "CUDA compiler: downloading 320 MB from PyPI"
    fill_cuda_home
    say "CUDA compiler: $cuda_home/nvidia/cu13/bin/nvcc"
}
