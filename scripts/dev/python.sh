# Sourced by checks: programs of PyPI that results are compared with.
# shellcheck shell=bash

# install_python NAME [PIP_OPTION...]: the packages of scripts/dev/NAME-requirements.txt in the virtual
# environment .cache/NAME. A no-op where it has them: the copy of the list came last.
install_python() {
    local pins=scripts/dev/$1-requirements.txt home=.cache/$1
    ! cmp -s "$pins" "$home/requirements.txt" || return 0
    rm -rf "$home"
    python3 -m venv "$home"
    "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "${@:2}" -r "$pins"
    cp "$pins" "$home/requirements.txt"
}
