#!/usr/bin/env bash
# tissue_kather.sh FOLDER [TESELA]: ten folds over the 5,000 colorectal tiles of J. N. Kather et al.
# (Scientific Reports 6, 2016; zenodo.org/record/53169, Kather_texture_2016_image_tiles_5000), with all
# eight classes and with tumor against stroma. Goals are the paper's 87.4 % and 98.6 %. Says 'absent'
# where the folder is not there.
set -euo pipefail
folder=${1:?usage: tissue_kather.sh FOLDER [TESELA]}
tesela=${2:-build/bin/tesela}
classes=(01_TUMOR 02_STROMA 03_COMPLEX 04_LYMPHO 05_DEBRIS 06_MUCOSA 07_ADIPOSE 08_EMPTY)
for class in "${classes[@]}"; do
    [[ -d $folder/$class ]] || { echo "absent: no $folder/$class" && exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# evaluate TITLE GOAL CLASS...
evaluate() {
    local title=$1 goal=$2 class
    shift 2
    rm -rf "$work/tiles" && mkdir "$work/tiles"
    for class in "$@"; do ln -s "$(realpath "$folder/$class")" "$work/tiles/$class"; done
    echo "$title (goal $goal %)"
    "$tesela" tissue features --tiles "$work/tiles" -o "$work/tiles.csv" --force --quiet
    "$tesela" tissue evaluate "$work/tiles.csv" --protocol k-fold:10 --quiet
}
evaluate "eight classes" 87.4 "${classes[@]}"
evaluate "tumor against stroma" 98.6 01_TUMOR 02_STROMA
