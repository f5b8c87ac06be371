# ./dev format: formats every C++, CUDA and kernel file that git knows or would add.
# shellcheck shell=bash disable=SC2034,SC2154

step "packages" install_packages "${packages_format[@]}"
step "format" scripts/dev/format -i
