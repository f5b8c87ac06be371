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
    build/bin/tesela segment "$image_folder/astronaut.png" --device cpu --force \
        --overlay "$pictures/astronaut-grown-overlay.png" \
        --segmented "$pictures/astronaut-grown.png"
    local boxes='box:180,40,270,160=1;110,330,220,420=2;60,290,90,420=2;310,20,370,200=3'
    boxes+=';110,20,150,150=3;330,400,430,480=4;20,40,70,120=5;400,300,500,330=6'
    build/bin/tesela grow compete "$image_folder/astronaut.png" --device cpu \
        --seeds "$boxes" --force --overlay "$pictures/astronaut-compete.png"
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
        --colored "$pictures/coins-components.png" "${options[@]}"
}

# Slice 80 of a head scan of 8 bits on stdin, upright, as the picture NAME.
head_picture() {
    local folder=build/pictures/head
    tail -c +$((181 * 217 * 80 + 1)) | head -c $((181 * 217)) |
        perl -0777 -ne 'print scalar reverse' >"$folder/$1.raw"
    printf '%s\n' 'ObjectType = Image' 'NDims = 2' 'DimSize = 181 217' 'ElementType = MET_UCHAR' \
        "ElementDataFile = $1.raw" >"$folder/$1.mhd"
    build/bin/tesela synthesize noise "$folder/$1.mhd" --sigma 0 -o "$pictures/$1.png" --force
}

# A slice of the head scan: its bands, and noise of 10 levels taken out of the whole scan. Values
# are from 45 to 211, so that the noise is not clipped.
wavelet_pictures() {
    local folder=build/pictures/head options=(--device cpu --force) voxels=$((181 * 217 * 181))
    mkdir -p "$folder"
    zcat "$image_folder/ch2.nii.gz" | tail -c +353 |
        perl -0777 -ne 'print pack "C*", map {45 + int(0.65 * $_ + 0.5)} unpack "C*", $_' \
            >"$folder/scan.raw"
    printf '%s\n' 'ObjectType = Image' 'NDims = 3' 'DimSize = 181 217 181' \
        'ElementType = MET_UCHAR' 'ElementDataFile = scan.raw' >"$folder/scan.mhd"
    build/bin/tesela synthesize noise "$folder/scan.mhd" --sigma 10 --seed 3 --force \
        -o "$folder/noisy.mha"
    build/bin/tesela wavelet denoise "$folder/noisy.mha" -o "$folder/clean.mha" \
        --residual "$folder/residual.mha" "${options[@]}"
    tail -c $voxels "$folder/noisy.mha" | head_picture head-noisy
    tail -c $voxels "$folder/clean.mha" | head_picture head-clean
    tail -c $((4 * voxels)) "$folder/residual.mha" |
        perl -0777 -ne 'print pack "C*", map {int(128.5 + 2 * $_)} unpack "f<*", $_' |
        head_picture head-residual
    build/bin/tesela wavelet forward "$folder/head-clean.mhd" --levels 3 \
        --picture "$pictures/head-bands.png" "${options[@]}"
    build/bin/tesela wavelet packet "$image_folder/brick.png" --levels 4 \
        --picture "$pictures/brick-packets.png" "${options[@]}"
}

# What diffuses in 200 points: backward Euler steps of time 1, 10 and 100 from the value 1 at points FIRST
# to END - 1. diffusion_picture NAME FIRST END OPTION...; with the option --periodic the points are a ring.
diffusion_picture() {
    local name=$1 first=$2 end=$3 folder=build/pictures/$1 time
    mkdir -p "$folder"
    for time in 1 10 100; do
        awk -v t=$time -v first="$first" -v end="$end" -v ring="${4:+1}" 'BEGIN {
            for (i = 0; i < 200; ++i)
                print -t, 1 + (ring || i > 0 ? t : 0) + (ring || i < 199 ? t : 0), -t, (i >= first && i < end)
        }' >"$folder/$time.txt"
        build/bin/tesela tridiagonal "$folder/$time.txt" -o "$folder/$time.x" --device cpu --force "${@:4}"
    done
    awk -v first="$first" -v end="$end" '
        function line(color) {
            print "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" color "\" points=\"" \
                points "\"/>"
            points = ""
        }
        BEGIN {
            split("#1b9e77 #d95f02 #7570b3", colors, " ")
            print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"240\">"
            print "<rect width=\"640\" height=\"240\" fill=\"white\"/>"
            for (i = 0; i < 200; ++i)
                points = points 20 + 3 * i "," (i >= first && i < end ? 30 : 220) " "
            line("#999999")
        }
        FNR == 1 && NR > 1 { line(colors[++files]) }
        { points = points 20 + 3 * (FNR - 1) "," 220 - 190 * $1 " " }
        END {
            line(colors[++files])
            split("t = 1,t = 10,t = 100", names, ",")
            for (k = 1; k <= 3; ++k)
                print "<text x=\"500\" y=\"" 30 + 24 * k "\" font-family=\"sans-serif\"" \
                    " font-size=\"16\" fill=\"" colors[k] "\">" names[k] "</text>"
            print "</svg>"
        }' "$folder/1.x" "$folder/10.x" "$folder/100.x" >"$pictures/$name.svg"
}

# A step that diffuses, and one at the seam of a ring.
tridiagonal_pictures() {
    diffusion_picture diffusion 70 130
    diffusion_picture ring 0 40 --periodic
}

# The face of the astronaut, made of the moments of a few orders.
zernike_pictures() {
    local order
    build/bin/tesela slide region "$image_folder/astronaut.png" --x 130 --y 20 --width 180 \
        --height 180 --force -o "$pictures/zernike-face.png"
    for order in 10 30 80; do
        build/bin/tesela zernike "$pictures/zernike-face.png" --order "$order" --device cpu --force \
            --reconstruct "$pictures/zernike-$order.png" --reconstruct-type uint8
    done
}

# The brain of a head scan, from one ball; the surface of three coins, from a ball around them.
level_set_pictures() {
    build/bin/tesela level-set ftc "$image_folder/ch2.nii.gz" --seeds 'ball:90,110,80,10' --device cpu \
        --force --overlay "$pictures/level-set-brain.png"
    build/bin/tesela level-set aos "$image_folder/coins.png" --seeds 'ball:150,125,50' --device cpu \
        --lower 110 --force --overlay "$pictures/level-set-coins.png"
}

# A hollow bone of 96 x 96 x 128 voxels in Hounsfield units, with trabeculae (a gyroid) towards its ends.
bone_volume() {
    perl -e '
        sub step { 1 / (1 + exp(-$_[0])) }
        for $z (0 .. 127) { for $y (0 .. 95) { for $x (0 .. 95) {
            ($u, $v, $w) = ($x - 47.5, $y - 47.5, ($z - 63.5) / 63.5);
            $depth = 22 + 18 * $w ** 4 + 2 * sin(3 * atan2($v, $u) + 2 * $w) - sqrt($u * $u + $v * $v);
            ($a, $b, $c) = map {$_ / 3} ($u, $v, 63.5 * $w);
            $wall = abs(sin($a) * cos($b) + sin($b) * cos($c) + sin($c) * cos($a));
            $marrow = 550 * step(9 * ($w ** 2 - 0.15 - $wall)) - 50;
            $bone = $marrow + (1100 - $marrow) * step(2 * (5 - $depth));
            print pack "s<", $bone * step(2 * $depth) - 1000 * step(-2 * $depth);
        } } }'
}

# A brain, two spheres, also cut open, a bone cut open, vessels, and the function of Marschner and Lobb, rendered.
render_pictures() {
    local folder && folder=$(mktemp -d)
    local common=(--size 320x320 --device cpu --force)
    local made="build/bin/tesela synthesize volume --force"
    $made --scene kissing-spheres --size 96,96,96 -o "$folder/spheres.nii.gz" --truth "$folder/labels.nii.gz"
    $made --scene vessels --size 160,160,160 -o "$folder/vessels.nii.gz"
    $made --scene marschner-lobb --size 64,64,64 -o "$folder/marschner-lobb.nii.gz"
    bone_volume >"$folder/bone.raw"
    build/bin/tesela render "$image_folder/ch2bet.nii.gz" --azimuth 35 --elevation 20 --zoom 1.5 \
        -o "$pictures/render-brain.png" "${common[@]}"
    build/bin/tesela render "$folder/spheres.nii.gz" --mode isosurface --labels "$folder/labels.nii.gz" \
        --azimuth 20 --elevation 20 --zoom 1.5 -o "$pictures/render-labels.png" "${common[@]}"
    build/bin/tesela render "$image_folder/aal.nii.gz" --mode isosurface --labels "$image_folder/aal.nii.gz" \
        --clip-plane 0,-1,-0.3,-5 --azimuth 150 --elevation 20 --zoom 1.6 -o "$pictures/render-caps.png" "${common[@]}"
    build/bin/tesela render "$image_folder/ch2bet.nii.gz" --mode mip -o "$pictures/render-mip.png" "${common[@]}"
    build/bin/tesela render "$folder/bone.raw" --raw 96x96x128:i16le --transfer ct-bone --clip-plane 0,1,0,-40 \
        --azimuth 25 --elevation 25 --zoom 1.15 -o "$pictures/render-bone.png" "${common[@]}"
    build/bin/tesela render "$folder/vessels.nii.gz" --transfer mr-vessel --azimuth 30 --elevation 20 --zoom 1.25 \
        -o "$pictures/render-vessels.png" "${common[@]}"
    build/bin/tesela render "$folder/marschner-lobb.nii.gz" --mode isosurface --iso 128 --azimuth 30 --elevation 50 \
        --zoom 1.2 -o "$pictures/render-marschner-lobb.png" "${common[@]}"
    rm -r "$folder"
}

# Coins, and circles that overlap, by one radius.
circle_pictures() {
    local folder && folder=$(mktemp -d)
    build/bin/tesela circles "$image_folder/coins.png" --min-radius 15 --max-radius 35 --device cpu \
        --force -o "$folder/coins.csv" --overlay "$pictures/circles-coins.png"
    build/bin/tesela synthesize circles --drawing disks --width 384 --height 300 --count 60 --overlap \
        --min-radius 14 --max-radius 26 --separation 20 --blur 1 --noise 0.1 --force -o "$folder/crowd.png"
    build/bin/tesela circles "$folder/crowd.png" --min-radius 12 --max-radius 28 --min-score 0.3 --polarity bright --device cpu \
        --force -o "$folder/crowd.csv" --overlay "$pictures/circles-crowd.png"
    rm -r "$folder"
}

# A histology section, taken as 0.5 um per pixel, with a bar of 50 um.
slide_pictures() {
    build/bin/tesela slide thumbnail "$image_folder/ihc.png" --mpp 0.5 --scale-bar --size 480 \
        --force -o "$pictures/slide-thumbnail.png"
}

# A section of skin with a bar of 200 um, and its tissue outlined; from the further test images.
skin_pictures() {
    local slide=${TESELA_DATA:-../shared/data}/slides/CMU-1-Small-Region.svs
    [[ -f $slide ]] || { say "no $slide: pictures of skin stay as they are" && return; }
    build/bin/tesela slide thumbnail "$slide" --scale-bar --size 560 --force \
        -o "$pictures/slide-skin.png"
    build/bin/tesela segment "$pictures/slide-skin.png" --detail fine --device cpu --force \
        --overlay "$pictures/slide-skin-segment.png"
}

# Noise, and what filters leave of it.
smooth_pictures() {
    local noisy="$pictures/smooth-noise.png" options=(--device cpu --force)
    build/bin/tesela synthesize noise "$image_folder/coins.png" --sigma 25 --force -o "$noisy"
    build/bin/tesela image smooth gaussian "$noisy" --sigma 1.5 "${options[@]}" -o "$pictures/smooth-gaussian.png"
    build/bin/tesela image smooth median "$noisy" --radius 2 "${options[@]}" -o "$pictures/smooth-median.png"
}

# Part of the coins with fewer pixels, and enlarged again.
resample_pictures() {
    local folder && folder=$(mktemp -d)
    local resample="build/bin/tesela image resample" options=(--device cpu --force)
    build/bin/tesela image crop "$image_folder/coins.png" --x 100 --y 50 --width 200 --height 152 "${options[@]:2}" -o "$folder/part.png"
    local small
    for small in none gaussian; do
        $resample "$folder/part.png" --size 50 --anti-aliasing $small "${options[@]}" -o "$folder/$small.png"
    done
    $resample "$folder/none.png" --size 200 --interpolation nearest "${options[@]}" -o "$pictures/resample-none.png"
    $resample "$folder/gaussian.png" --size 200 --interpolation nearest "${options[@]}" -o "$pictures/resample-smoothed.png"
    local method
    for method in linear cubic; do
        $resample "$folder/gaussian.png" --size 200 --interpolation $method "${options[@]}" -o "$pictures/resample-$method.png"
    done
    rm -r "$folder"
}

# Vessels: one slice, and all of them as one.
project_pictures() {
    local folder && folder=$(mktemp -d)
    local vessels=$folder/vessels.nii.gz project="build/bin/tesela image project" options=(--device cpu --force)
    build/bin/tesela synthesize volume --scene vessels --size 160,160,160 --noise 5% --force -o "$vessels"
    build/bin/tesela image convert "$vessels" --slice 80 --force -o "$pictures/project-slice.png"
    $project "$vessels" "${options[@]}" -o "$pictures/project-maximum.png"
    $project "$vessels" --by mean --image-type uint8 "${options[@]}" -o "$pictures/project-mean.png"
    $project "$vessels" --axis y "${options[@]}" -o "$pictures/project-y.png"
    rm -r "$folder"
}

# What the commands of pages of tasks draw.
task_pictures() {
    local page made picture folder
    while read -r page made picture; do
        folder=$(mktemp -d)
        cp "$image_folder"/ch2{,bet}.nii.gz "$folder"
        awk '/^```/ { inside = $0 == "```sh"; next } inside' "docs/tasks/$page.md" >"$folder/page.sh"
        (PATH=$PWD/build/bin:$PATH && cd "$folder" && sh -e page.sh </dev/null)
        cp "$folder/$made" "$pictures/$picture"
        rm -r "$folder"
    done <<'END'
extract-brain brain.png task-brain.png
measure-a-lesion lesion.png task-lesion.png
END
}

# Coins in part, mirrored and turned.
image_pictures() {
    local coins="$image_folder/coins.png"
    build/bin/tesela image crop "$coins" --x 100 --y 50 --width 200 --height 150 --force -o "$pictures/image-crop.png"
    build/bin/tesela image flip "$coins" --force -o "$pictures/image-flip.png"
    build/bin/tesela image rotate "$coins" --force -o "$pictures/image-rotate.png"
    local folder && folder=$(mktemp -d)
    build/bin/tesela threshold adaptive "$coins" --device cpu --force -o "$folder/mask.png"
    build/bin/tesela components "$folder/mask.png" --min-size 100 --device cpu --force -o "$folder/objects.png"
    build/bin/tesela overlay "$coins" "$folder/objects.png" --outline labels --numbers --enlarge 2 --force \
        -o "$pictures/overlay-coins.png"
    build/bin/tesela threshold "$image_folder/ch2bet.nii.gz" --device cpu --force -o "$folder/brain.nii.gz"
    build/bin/tesela overlay "$image_folder/ch2.nii.gz" "$folder/brain.nii.gz" --fill 0.35 --force \
        -o "$pictures/overlay-brain.png"
    rm -r "$folder"
}

# Coins under structuring elements; their mask filled, without the border, and coins that touch split.
morphology_pictures() {
    local coins="$image_folder/coins.png" folder && folder=$(mktemp -d)
    local -a common=(--device cpu --force -o)
    build/bin/tesela morphology dilate "$coins" --radius 5 "${common[@]}" "$pictures/morphology-dilate.png"
    build/bin/tesela morphology gradient "$coins" --radius 1 "${common[@]}" "$pictures/morphology-gradient.png"
    build/bin/tesela morphology top-hat "$coins" --radius 12 "${common[@]}" "$pictures/morphology-top-hat.png"
    build/bin/tesela mask fill-holes "$pictures/coins-adaptive.png" "${common[@]}" "$pictures/mask-filled.png"
    build/bin/tesela morphology open "$pictures/mask-filled.png" --radius 3 "${common[@]}" "$folder/opened.png"
    build/bin/tesela mask clear-border "$folder/opened.png" "${common[@]}" "$pictures/mask-inner.png"
    build/bin/tesela morphology dilate "$pictures/mask-inner.png" --radius 8 "${common[@]}" "$folder/touching.png"
    build/bin/tesela mask split "$folder/touching.png" "${common[@]}" "$folder/split.png"
    build/bin/tesela overlay "$folder/touching.png" "$folder/split.png" --outline labels --fill 0.5 --force \
        -o "$pictures/mask-split.png"
    rm -r "$folder"
}

# Nuclei that touch, counted.
nuclei_pictures() {
    local folder && folder=$(mktemp -d)
    local -a common=(--device cpu --force -o)
    build/bin/tesela synthesize nuclei --force -o "$folder/nuclei.png"
    build/bin/tesela threshold otsu "$folder/nuclei.png" "${common[@]}" "$folder/mask.png"
    build/bin/tesela mask fill-holes "$folder/mask.png" "${common[@]}" "$folder/filled.png"
    build/bin/tesela mask split "$folder/filled.png" "${common[@]}" "$folder/labels.png"
    build/bin/tesela overlay "$folder/nuclei.png" "$folder/labels.png" --outline labels --enlarge 2 --force \
        -o "$pictures/count-cells.png"
    rm -r "$folder"
}

# A coin, and where others like it lie.
match_pictures() {
    local scores
    scores=$(mktemp --suffix=.tif)
    build/bin/tesela slide region "$image_folder/coins.png" --x 76 --y 92 --width 56 --height 56 \
        --force -o "$pictures/match-coin.png"
    build/bin/tesela match "$pictures/match-coin.png" "$image_folder/coins.png" --device cpu \
        --force -o "$scores"
    build/bin/tesela threshold range 0.6 1 "$scores" --device cpu --force -o "$pictures/match-coins.png"
    rm -f "$scores"
}

# The middle rows of all planes of a volume, 256 pixels wide, a plane as high as 8 pixels.
cut_lengthwise() {
    local width height depth part=build/pictures/series/cut.nrrd flat=build/pictures/series/flat.nrrd
    read -r width height depth < <(build/bin/tesela info "$1" | sed -n 's/^ *size *\([0-9]*\) x \([0-9]*\) x \([0-9]*\).*/\1 \2 \3/p')
    build/bin/tesela image crop "$1" --x $(((width - 256) / 2)) --width 256 --y $((height / 2)) --height 2 -o "$part" --force --quiet
    build/bin/tesela image project "$part" --axis y --by minimum -o "$flat" --device cpu --force
    build/bin/tesela image resample "$flat" --size 512,$((8 * depth)) --interpolation nearest -o "$2" --device cpu --force
}

# A series of sections, of which one is torn and one is missing, cut along the series: as its pictures lie,
# and as a volume.
series_pictures() {
    local folder=build/pictures/series common=(--device cpu --force) side=256 count=40
    build/bin/tesela synthesize sections --width $side --height $side --count $count --stains he --rotation 25 --mirror no \
        --shift 0.04 --scale 0.02 --tear 0.03 --damaged 12 --left-out 25 --seed 6 -o "$folder" --force
    (cd "$folder" && ls section*.png >list.txt)
    printf '%s\n' NRRD0004 'type: uint8' 'dimension: 4' "sizes: 3 $side $side $count" 'encoding: raw' \
        'kinds: RGB-color domain domain domain' 'data file: lying.raw' >"$folder/lying.nhdr"
    local number
    for number in $(seq -w 0 $((count - 1))); do
        [ -f "$folder/section$number.png" ] || number=24
        build/bin/tesela image convert "$folder/section$number.png" -o "$folder/plane.nhdr" --force --quiet
        cat "$folder/plane.raw"
    done >"$folder/lying.raw"
    build/bin/tesela register stack "$folder/list.txt" --mpp 1 --thickness 4um --bridge nearest -o "$folder/stacked.nrrd" \
        "${common[@]}"
    cut_lengthwise "$folder/lying.nhdr" "$pictures/registration-stack-before.png"
    cut_lengthwise "$folder/stacked.nrrd" "$pictures/registration-stack-after.png"
}

# Tiles of a section on a stage that is off by up to 8 pixels: at their positions, and registered.
mosaic_pictures() {
    local folder=build/pictures/mosaic common=(--device cpu --force) number=0 name column row off=(0 6 -7 5 -4 8 -6 3 7)
    local tiles=("$folder/tiles" --grid 3x3 --overlap 20%)
    rm -rf "$folder"
    mkdir -p "$folder/tiles"
    for row in 0 1 2; do
        for column in 0 1 2; do
            build/bin/tesela image crop "$image_folder/ihc.png" --x $((8 + 152 * column + off[number])) --width 190 \
                --y $((8 + 152 * row + off[8 - number])) --height 190 -o "$folder/tiles/tile$number.png" --quiet
            number=$((number + 1))
        done
    done
    build/bin/tesela register mosaic "${tiles[@]}" --as-given -o "$folder/before.png" "${common[@]}"
    build/bin/tesela register mosaic "${tiles[@]}" --search 20 -o "$folder/after.png" "${common[@]}"
    for name in before after; do
        build/bin/tesela image crop "$folder/$name.png" --x 120 --y 60 --width 260 --height 260 \
            -o "$pictures/registration-mosaic-$name.png" --force
    done
}

# A section beside itself bent and turned, before and after; a grid that is bent alike; and two sections
# in other stains after a rigid map and after a spline.
registration_pictures() {
    local folder=build/pictures/sections common=(--device cpu --force)
    build/bin/tesela synthesize sections --width 512 --height 512 --deformation 0.03 --rotation 20 --shift 0.04 \
        --mirror no --seed 4 -o "$folder" --force
    build/bin/tesela warp "$image_folder/ihc.png" --transform "$folder/transform01.json" --inverse \
        -o "$folder/ihc-bent.png" "${common[@]}"
    build/bin/tesela register "$image_folder/ihc.png" "$folder/ihc-bent.png" --transform "$folder/ihc.json" \
        --before "$pictures/registration-before.png" --overlay "$pictures/registration-after.png" "${common[@]}"
    printf '%s\n' 'ObjectType = Image' 'NDims = 2' 'DimSize = 512 512' 'ElementType = MET_UCHAR' \
        'ElementDataFile = grid.raw' >"$folder/grid.mhd"
    perl -e 'for $y (0 .. 511) { for $x (0 .. 511) { print chr($x % 32 < 2 || $y % 32 < 2 ? 40 : 235) } }' \
        >"$folder/grid.raw"
    build/bin/tesela warp "$folder/grid.mhd" --transform "$folder/ihc.json" --outside 255 \
        -o "$pictures/registration-grid.png" "${common[@]}"
    local model
    for model in rigid spline; do
        build/bin/tesela register "$folder/section00.png" "$folder/section01.png" --model "$model" \
            --overlay "$pictures/registration-$model.png" "${common[@]}"
    done
}

# A part of two sections at full resolution, after the registration of thumbnails of a sixteenth of the side,
# and after windows were matched.
slide_registration_pictures() {
    local folder=build/pictures/slides common=(--device cpu --force --quiet) name
    local part=(--x 704 --y 1920 --width 260 --height 260)
    build/bin/tesela synthesize sections --width 4096 --height 4096 --rotation 30 --mirror no --seed 4 \
        -o "$folder" --force
    build/bin/tesela slide region "$folder/section00.png" "${part[@]}" -o "$folder/fixed.png" --force
    for name in coarse:16px fine:1px; do
        build/bin/tesela register "$folder/section00.png" "$folder/section01.png" --thumbnail 256 \
            --resolution "${name#*:}" -o "$folder/aligned.ome.tif" "${common[@]}"
        build/bin/tesela slide region "$folder/aligned.ome.tif" "${part[@]}" -o "$folder/moving.png" --force
        build/bin/tesela register "$folder/fixed.png" "$folder/moving.png" --model rigid --rotation none \
            --mirror no --accept-poor --before "$pictures/registration-slide-${name%:*}.png" "${common[@]}"
    done
}

# The brain of a head scan as faces of voxels and as a smooth surface.
surface_pictures() {
    local folder=build/pictures/surface rounds name
    mkdir -p "$folder"
    build/bin/tesela level-set ftc "$image_folder/ch2.nii.gz" --seeds 'ball:90,110,80,10' --device cpu \
        --force -o "$folder/brain.nii.gz"
    for rounds in 0 20; do
        name=$([[ $rounds == 0 ]] && echo faces || echo smooth)
        build/bin/tesela surface "$folder/brain.nii.gz" --smooth $rounds -o "$folder/$name.ply" --force
        python3 scripts/dev/verbs/draw_surface.py "$folder/$name.ply" "$folder/$name.npy"
        build/bin/tesela image convert "$folder/$name.npy" -o "$pictures/surface-$name.png" --force
    done
}

step "packages" install_packages "${packages_build[@]}"
step "images" fetch_images
find_tools
step "configure" configure_for_demo
step "build the program" build release tesela_cli
mkdir -p "$pictures"
step "segment" segment_pictures
step "photograph" mean_shift_pictures astronaut.png astronaut --spatial 8 --range 8 \
    --filtered "$pictures/astronaut-filtered.png" --colored "$pictures/astronaut-regions.png"
step "head scan" mean_shift_pictures ch2bet.nii.gz brain --spatial 2 --range 6
step "coins" baseline_pictures
step "motion" flow_pictures
step "regions" region_pictures
step "level sets" level_set_pictures
step "rendering" render_pictures
step "circles" circle_pictures
step "slides" slide_pictures
step "skin" skin_pictures
step "parts of images" image_pictures
step "other pixels" resample_pictures
step "projections" project_pictures
step "tasks" task_pictures
step "smoothing" smooth_pictures
step "morphology" morphology_pictures
step "nuclei" nuclei_pictures
step "surfaces" surface_pictures
step "templates" match_pictures
step "registration" registration_pictures
step "registration of slides" slide_registration_pictures
step "series of sections" series_pictures
step "mosaics" mosaic_pictures
step "wavelets" wavelet_pictures
step "tridiagonal systems" tridiagonal_pictures
step "Zernike moments" zernike_pictures
say "The pictures are in $pictures; look at each before you commit it."
