# Sourced by checks: programs of PyPI that results are compared with.
# shellcheck shell=bash

# install_environment PYTHON HOME PINS [PIP_OPTION...]: the packages of the list PINS in the virtual environment HOME of a
# Python. A no-op where it has them: the copy of the list came last.
install_environment() {
    local python=$1 home=$2 pins=$3
    ! cmp -s "$pins" "$home/requirements.txt" || return 0
    rm -rf "$home"
    "$python" -m venv "$home"
    "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "${@:4}" -r "$pins"
    cp "$pins" "$home/requirements.txt"
}

# install_python NAME [PIP_OPTION...]: those of scripts/dev/NAME-requirements.txt in .cache/NAME.
install_python() {
    install_environment python3 ".cache/$1" "scripts/dev/$1-requirements.txt" "${@:2}"
}
