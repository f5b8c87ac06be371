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

# What needs no setting: a photograph, coins, tissue, and a head scan.
segment_pictures() {
    local image
    for image in astronaut.png coins.png ihc.png ch2.nii.gz; do
        build/bin/tesela segment "$image_folder/$image" --device cpu --force \
            --overlay "$pictures/${image%%.*}-segment.png"
    done
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

# A photograph without seeds and with boxes of six labels, and the coins that stand out of their
# background.
region_pictures() {
    build/bin/tesela region-grow "$image_folder/astronaut.png" --device cpu --force \
        --overlay "$pictures/astronaut-grown-overlay.png" \
        --segmented "$pictures/astronaut-grown.png"
    local boxes='box:180,40,270,160=1;110,330,220,420=2;60,290,90,420=2;310,20,370,200=3'
    boxes+=';110,20,150,150=3;330,400,430,480=4;20,40,70,120=5;400,300,500,330=6'
    build/bin/tesela region-grow "$image_folder/astronaut.png" --criterion range --device cpu \
        --seeds "$boxes" --force --overlay "$pictures/astronaut-range.png"
    build/bin/tesela watershed "$image_folder/astronaut.png" --sigma 1 --device cpu \
        --seeds "$boxes" --force --overlay "$pictures/astronaut-watershed.png"
    build/bin/tesela watershed "$image_folder/coins.png" --sigma 2 --depth 6 --device cpu --force \
        --overlay "$pictures/coins-watershed.png"
}

# Coins in uneven light: masks, edges and components.
baseline_pictures() {
    local coins=$image_folder/coins.png
    local options=(--device cpu --force)
    cp "$coins" "$pictures/coins.png"
    build/bin/tesela threshold otsu "$coins" -o "$pictures/coins-otsu.png" "${options[@]}"
    build/bin/tesela threshold adaptive "$coins" -o "$pictures/coins-adaptive.png" "${options[@]}"
    build/bin/tesela edges canny "$coins" --sigma 2 -o "$pictures/coins-canny.png" "${options[@]}"
    build/bin/tesela components "$pictures/coins-adaptive.png" --min-size 100 \
        --random-colors "$pictures/coins-components.png" "${options[@]}"
}

# A histology section, taken as 0.5 um per pixel, with a bar of 50 um.
slide_pictures() {
    build/bin/tesela slide thumbnail "$image_folder/ihc.png" --mpp 0.5 --scale-bar --size 480 \
        --force -o "$pictures/slide-thumbnail.png"
}

step "packages" install_packages "${packages_build[@]}"
step "images" fetch_images
find_tools
step "configure" configure_for_demo
step "build the program" build release tesela_cli
mkdir -p "$pictures"
step "segment" segment_pictures
step "photograph" mean_shift_pictures astronaut.png astronaut --spatial 8 --range 8 \
    --filtered "$pictures/astronaut-filtered.png" --random-colors "$pictures/astronaut-regions.png"
step "head scan" mean_shift_pictures ch2bet.nii.gz brain --spatial 2 --range 6
step "coins" baseline_pictures
step "motion" flow_pictures
step "regions" region_pictures
step "slides" slide_pictures
say "The pictures are in $pictures; look at each before you commit it."
