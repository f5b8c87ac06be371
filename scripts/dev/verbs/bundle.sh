# ./dev bundle [--program]: what runs on an x86-64 Linux machine that has nothing but a GPU's driver.
#   ./dev bundle            tests, benchmarks and their inputs in bundle/: bundle/run-all
#   ./dev bundle --program  the command line in bundle-program/, and packed: bundle-program/bin/tesela, and
#                           bundle-program/run-rows, which runs the experiments that need a GPU
# shellcheck shell=bash disable=SC2034,SC2154

largest_mib=64
largest_packed_mib=45
# What a device has a part in; the other tests say the same on every machine. The benchmark of videos
# needs FFmpeg's libraries, which alone are larger than the bundle.
bundle_targets=(tesela_{compute,levels,filters,mean_shift,components,growth,watershed,thresholds,motion}_tests
    tesela_{sequence,transforms,texture,levelset,detection,segment,registration,rendering,volumes}_tests
    tesela_bench_{stencil,primitives,components,mean_shift,flow,region_grow,seeded_growth,minimax,baselines}
    tesela_bench_{tridiagonal,wavelets,texture,stain,level_set,zernike,circles,fft,rendering,registration,volume_codec})

copy_programs() {
    rm -rf bundle
    mkdir -p bundle/bin bundle/lib
    cp "${bundle_targets[@]/#/build-bundle/bin/}" bundle/bin/
    cp scripts/dev/bundle/run-all bundle/
    git describe --always --dirty --abbrev=10 >bundle/commit 2>/dev/null || true
}

# From the build with files: the benchmark of several devices, which classifies tissue, and the
# benchmarks' pictures as plain pixels, as the bundle has no image libraries.
add_from_release() {
    configure_for_test
    build release tesela_decode_inputs tesela_bench_devices
    cp build/bin/tesela_bench_devices bundle/bin/
    cp -L "$(ldd build/bin/tesela_bench_devices | awk '/libsvm/ { print $3 }')" bundle/lib/
    local -a inputs=("$image_folder/astronaut.png" "$image_folder/ch2.nii.gz")
    local ct=${TESELA_DATA:-../shared/data}/volumes/CT_AVM.nii.gz # in no package
    [[ ! -f $ct ]] || inputs+=("$ct")
    build/bin/tesela_decode_inputs bundle/data "${inputs[@]}"
}

# Everything but glibc and the compiler's run-time libraries, of which the machine's own are at least
# as new; the driver is the machine's own. The OpenCL loader is opened at run time, so ldd does not name it.
copy_libraries() {
    local library
    ldd bundle/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -vE '/(libstdc\+\+|libgcc_s|libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' |
        while read -r library; do
            cp -L "$library" bundle/lib/
        done
    cp -L "$(ldconfig -p | awk '/libOpenCL\.so\.1 / && /x86-64/ { print $NF; exit }')" bundle/lib/
    if find bundle/lib -name 'lib*' | grep -E 'png|jpeg|tiff|ITK|gdcm|libav|swscale'; then
        die "the bundle needs the file-format libraries above; it must not"
    fi
}

check_size() {
    local kib
    kib=$(du -sk bundle | cut -f1)
    find bundle -type f -printf '%9s  %p\n' | sort -k2
    say "bundle: $((kib / 1024)) MiB of $largest_mib"
    [[ $kib -le $((largest_mib * 1024)) ]] || die "the bundle is larger than $largest_mib MiB"
}

# The parts of the archive that cmake/TeselaPackage.cmake describes.
install_program() {
    local part
    rm -rf bundle-program
    for part in program libraries; do
        cmake --install build-bundle-program --component "$part" --strip --prefix bundle-program
    done
}

add_experiments() {
    mkdir -p bundle-program/data
    cp -L "$image_folder"/{astronaut.png,ihc.png,ch2.nii.gz} bundle-program/data/
    cp scripts/dev/bundle/run-rows bundle-program/
    git describe --always --dirty --abbrev=10 >bundle-program/commit
}

pack_program() {
    tar -c bundle-program | xz -T0 >bundle-program.tar.xz
    local kib
    kib=$(du -k bundle-program.tar.xz | cut -f1)
    say "bundle-program.tar.xz: $((kib / 1024)) MiB of $largest_packed_mib"
    [[ $kib -le $((largest_packed_mib * 1024)) ]] ||
        die "the packed program is larger than $largest_packed_mib MiB"
}

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}"
step "CUDA compiler" install_cuda
find_tools
case ${1:-} in
    --program)
        step "images" fetch_images
        step "configure" configure bundle-program
        step "build" build bundle-program
        step "program" install_program
        step "check" scripts/dev/check_archive bundle-program
        step "experiments" add_experiments
        step "size" pack_program
        say "On the GPU machine: tar -xJf bundle-program.tar.xz && bundle-program/bin/tesela devices; bundle-program/run-rows"
        ;;
    '')
        step "images" fetch_images
        step "configure" configure bundle
        step "build" build bundle "${bundle_targets[@]}"
        step "programs" copy_programs
        step "libraries" copy_libraries
        step "inputs" add_from_release
        step "size" check_size
        say "On the GPU machine: bundle/run-all --device cuda,opencl"
        ;;
    *) die "bundle has only the option --program, not $1" ;;
esac
