# ./dev bench [BENCHMARK_ARGUMENT...]: runs every benchmark program, on every device it finds.
# shellcheck shell=bash disable=SC2034,SC2154

step "packages" install_packages "${packages_build[@]}" "${packages_test[@]}"
step "images" fetch_images
export TESELA_IMAGES=$PWD/$image_folder
find_tools
step "configure" configure_for_test
step "build" build release
for program in build/bin/tesela_bench_*; do
    step "${program##*/}" "$program" "$@"
done
