# Sourced by ./dev: real images from Debian packages, without installing the packages.
# shellcheck shell=bash disable=SC2034,SC2154

image_folder=build/data

# fetch_from PACKAGE FOLDER_IN_PACKAGE FILE...: puts the missing files into build/data.
fetch_from() {
    local package=$1 inside=$2 file
    shift 2
    local -a missing=()
    for file in "$@"; do
        [[ -s $image_folder/$file ]] || missing+=("$file")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0

    local work=$image_folder/.unpack
    rm -rf "$work"
    mkdir -p "$work"
    if [[ -r /$inside/${missing[0]} ]]; then
        cp "${missing[@]/#//$inside/}" "$work/"
    else
        download_package "$package" "$work"
        dpkg-deb --fsys-tarfile "$work/$package"_*.deb |
            tar -x -C "$work" --strip-components="$(path_depth "$inside")" \
                "${missing[@]/#/./$inside/}" ||
            die "package $package does not hold ${missing[*]} in /$inside"
    fi
    for file in "${missing[@]}"; do
        mv "$work/$file" "$image_folder/$file"
    done
    rm -rf "$work"
    say "images: ${missing[*]} from package $package"
}

# Number of leading parts that tar drops from ./INSIDE/FILE.
path_depth() {
    local slashes=${1//[^\/]/}
    echo $((${#slashes} + 2))
}

# apt-get download needs no root; a package list that was never fetched does.
download_package() {
    command -v apt-get >/dev/null ||
        die "the example images come from the Debian package $1, and this system has no apt-get"
    local -a options=(-qq -o Acquire::Retries=3)
    # The download user _apt cannot enter every checkout; without this apt warns about it.
    [[ $EUID -ne 0 ]] || options+=(-o APT::Sandbox::User=root)
    local log=$PWD/$2/download.log
    (cd "$2" && apt-get "${options[@]}" download "$1") >"$log" 2>&1 && return
    if [[ $EUID -eq 0 ]] || command -v sudo >/dev/null; then
        apt_get_as_root update >>"$log" 2>&1 || true
        (cd "$2" && apt-get "${options[@]}" download "$1") >>"$log" 2>&1 && return
    fi
    tail -n 5 "$log" >&2
    die "cannot download package $1, which holds the example images; is the machine online, and" \
        "on Ubuntu is the 'universe' part of the archive switched on?"
}

fetch_images() {
    mkdir -p "$image_folder"
    fetch_from mricron-data usr/share/mricron/templates ch2.nii.gz ch2bet.nii.gz aal.nii.gz
    fetch_from python3-skimage usr/lib/python3/dist-packages/skimage/data \
        astronaut.png brick.png coins.png grass.png gravel.png ihc.png retina.jpg
    say "images: in $image_folder"
}
