#!/usr/bin/env bash
# bench/peers/sections_elastix.sh FOLDER: both pairs of sections with landmarks by elastix (affine, then
# B-splines; Debian's package elastix) and by tesela, in the same run: median rTRE and seconds. FOLDER is
# that of tesela_registration_quality.
set -euo pipefail
folder=$(realpath "$1")
tesela=$(realpath build/bin/tesela)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The example settings of its manual, for gray pictures: mutual information, four resolutions.
settings() {
    local transform=$1
    cat <<END
(FixedInternalImagePixelType "float")
(MovingInternalImagePixelType "float")
(UseDirectionCosines "true")
(Registration "MultiResolutionRegistration")
(Interpolator "BSplineInterpolator")
(ResampleInterpolator "FinalBSplineInterpolator")
(Resampler "DefaultResampler")
(FixedImagePyramid "FixedRecursiveImagePyramid")
(MovingImagePyramid "MovingRecursiveImagePyramid")
(Optimizer "AdaptiveStochasticGradientDescent")
(Transform "$transform")
(Metric "AdvancedMattesMutualInformation")
(NumberOfResolutions 4)
(MaximumNumberOfIterations 500)
(NumberOfSpatialSamples 4096)
(NewSamplesEveryIteration "true")
(ImageSampler "Random")
(NumberOfHistogramBins 32)
(AutomaticScalesEstimation "true")
(AutomaticTransformInitialization "true")
(HowToCombineTransforms "Compose")
(FinalGridSpacingInPhysicalUnits 64)
(DefaultPixelValue 255)
(WriteResultImage "false")
END
}
settings AffineTransform >affine.txt
settings BSplineTransform >spline.txt

# gray NAME: a picture of bytes without spacing (djpeg: Debian's libjpeg-turbo-progs).
gray() {
    djpeg -grayscale -pnm "$folder/$1.jpg" >"$1.pgm"
    {
        printf '%s\n' 'ObjectType = Image' 'NDims = 2' \
            "DimSize = $(sed -n 2p "$1.pgm")" 'ElementSpacing = 1 1' \
            'ElementType = MET_UCHAR' 'ElementDataFile = LOCAL'
        tail -n +4 "$1.pgm"
    } >"$1.mha"
}

# points NAME: landmarks as transformix takes them.
points() {
    awk -F, 'NR > 1 { x[++n] = $2; y[n] = $3 }
        END { print "point"; print n; for (i = 1; i <= n; ++i) print x[i], y[i] }' \
        "$folder/$1.csv" >"$1.txt"
}

# mapped NAME: what transformix moved the points to, as a table.
mapped() {
    echo ",X,Y"
    sed -nE 's/^Point[[:space:]]+([0-9]+).*OutputPoint = \[ ([^ ]+) ([^ ]+) \].*/\1,\2,\3/p' \
        "$1/outputpoints.txt" | awk -F, '{ print $1 + 1 "," $2 "," $3 }'
}

# numbered NAME: landmarks in their order.
numbered() {
    awk -F, 'NR == 1 { print ",X,Y" } NR > 1 { print NR - 1 "," $2 "," $3 }' "$folder/$1.csv"
}

for pair in "Rat-Kidney_HE Rat-Kidney_PanCytokeratin" "Izd2-29-041-w35_HE Izd2-29-041-w35_proSPC"; do
    read -r fixed moving <<<"$pair"
    gray "$fixed"
    gray "$moving"
    points "$fixed"
    mkdir -p elastix
    started=$(date +%s.%N)
    elastix -f "$fixed.mha" -m "$moving.mha" -p affine.txt -p spline.txt -out elastix >log.txt
    elastix_seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    transformix -def "$fixed.txt" -out elastix -tp elastix/TransformParameters.1.txt >>log.txt
    mapped elastix >mapped.csv
    numbered "$moving" >moving.csv
    by_elastix=$("$tesela" evaluate landmarks mapped.csv moving.csv --image "$folder/$fixed.jpg" |
        awk '/^rTRE/ { print $2 }')
    started=$(date +%s.%N)
    "$tesela" register "$folder/$fixed.jpg" "$folder/$moving.jpg" --device cpu --transform t.json \
        -o warped.png --force --quiet
    tesela_seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    by_tesela=$("$tesela" evaluate landmarks "$folder/$fixed.csv" "$folder/$moving.csv" \
        --transform t.json | awk '/^rTRE/ { print $2 }')
    echo "| $fixed | elastix $by_elastix, $elastix_seconds s | tesela $by_tesela, $tesela_seconds s |"
done
