# ./dev demo: segments photographs and a head scan on the CPU, grows a region from a seed, measures
# motion, and says where the pictures are.
# shellcheck shell=bash disable=SC2034,SC2154

output=build/demo

# segment IMAGE SUFFIX
segment() {
    local name=${1%%.*}
    build/bin/tesela segment "$image_folder/$1" --device cpu --force \
        --labels "$output/$name-labels$2" --overlay "$output/$name-overlay.png"
}

# The ventricles of the head, against the brain and the air, from two points in each.
ventricles() {
    local seeds='83,125,85=1;98,125,85=1;65,110,90=2;115,110,90=2;3,3,90=3;90,10,10=3'
    build/bin/tesela grow compete "$image_folder/ch2.nii.gz" --by step --device cpu \
        --seeds "$seeds" --force \
        --labels "$output/ventricles-labels.nii.gz" --overlay "$output/ventricles-overlay.png"
}

# Three shapes that move by themselves.
motion() {
    build/bin/tesela synthesize flow --scene layers -o "$output/frames" --force
    build/bin/tesela flow tv-l1 "$output/frames/frame10.png" "$output/frames/frame11.png" \
        --device cpu --force --color "$output/motion.png"
}

step "packages" install_packages "${packages_build[@]}"
step "images" fetch_images
find_tools
step "configure" configure_for_demo
step "build the program" build release tesela_cli
mkdir -p "$output"
step "segment a photograph" segment astronaut.png .png
step "segment a section of tissue" segment ihc.png .png
step "segment a head scan" segment ch2.nii.gz .nii.gz
step "grow the ventricles from seeds" ventricles
step "measure motion" motion

cat <<TEXT

Done in $(seconds_since "$all_started"). Each picture below was made by one line of
scripts/dev/verbs/demo.sh.

  $output/astronaut-overlay.png        the regions of a photograph
  $output/ihc-overlay.png              the regions of a stained section
  $output/ch2-overlay.png              the regions of a head MRI, on the three middle slices
  $output/ch2-labels.nii.gz            the same as one number per region
  $output/ventricles-overlay.png       ventricles, brain and air, grown from seeds
  $output/motion.png                   the motion of three shapes, as colors

Next: build/bin/tesela segment --help, build/bin/tesela devices, ./dev test
TEXT
