# ./dev pictures: makes the pictures of the documentation again, on the CPU.
# shellcheck shell=bash disable=SC2034,SC2154

pictures=docs/pictures

# mean_shift_pictures IMAGE NAME OPTION...
mean_shift_pictures() {
    local image=$image_folder/$1 name=$2
    shift 2
    build/bin/tesela mean-shift "$image" --device cpu --force \
        --overlay "$pictures/$name-overlay.png" "$@"
}

# Three shapes that move by themselves, by the truth and by every method; all colors on one scale.
flow_pictures() {
    local made=build/pictures/layers method
    build/bin/tesela synthesize flow --scene layers --colors --max-motion 5 -o "$made" --force
    cp "$made/color10.png" "$pictures/flow-truth.png"
    for method in lucas-kanade tv-l1 horn-schunck; do
        build/bin/tesela flow "$method" "$made/frame10.png" "$made/frame11.png" --device cpu \
            --force --max-motion 5 --color "$pictures/flow-$method.png" \
            --arrows "$pictures/flow-arrows.png" # that of the last method stays
    done
}

step "packages" install_packages "${packages_build[@]}"
step "images" fetch_images
find_tools
step "configure" configure_for_demo
step "build the program" build release tesela_cli
mkdir -p "$pictures"
step "photograph" mean_shift_pictures astronaut.png astronaut --spatial 8 --range 8 \
    --filtered "$pictures/astronaut-filtered.png" --random-colors "$pictures/astronaut-regions.png"
step "head scan" mean_shift_pictures ch2bet.nii.gz brain --spatial 2 --range 6
step "motion" flow_pictures
say "The pictures are in $pictures; look at each before you commit it."
