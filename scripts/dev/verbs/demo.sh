# ./dev demo: segments a head scan and a photograph on the CPU and says where the pictures are.
# shellcheck shell=bash disable=SC2034,SC2154

output=build/demo

# segment IMAGE NAME SUFFIX OPTION...
segment() {
    local image=$image_folder/$1 name=$2 suffix=$3
    shift 3
    build/bin/tesela mean-shift "$image" --device cpu --force \
        --filtered "$output/$name-filtered$suffix" --labels "$output/$name-labels$suffix" \
        --overlay "$output/$name-overlay.png" "$@"
}

step "packages" install_packages "${packages_build[@]}"
step "images" fetch_images
find_tools
step "configure" configure_for_demo
step "build the program" build release tesela_cli
mkdir -p "$output"
step "mean shift of a head scan" segment ch2bet.nii.gz brain .nii.gz --spatial 2 --range 6
step "mean shift of a photograph" segment astronaut.png astronaut .png --spatial 8 --range 8

cat <<TEXT

Done in $(seconds_since "$all_started"). Mean shift moved every voxel of a brain MRI (181x217x181)
and every pixel of a photograph (512x512) to the mean of its neighborhood until it stayed, and
joined what came to rest together into numbered regions.

  $output/brain-overlay.png            region boundaries on the three middle slices
  $output/brain-filtered.nii.gz        the smoothed volume, same geometry as the input
  $output/brain-labels.nii.gz          one number per region
  $output/astronaut-overlay.png        region boundaries on the photograph
  $output/astronaut-filtered.png       the smoothed photograph
  $output/astronaut-labels.png         one number per region

Next: build/bin/tesela mean-shift --help, build/bin/tesela devices, ./dev test
TEXT
