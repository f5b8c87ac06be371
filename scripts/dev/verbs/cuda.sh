# ./dev cuda: installs a CUDA compiler in .cache/cuda where the machine has none.
# shellcheck shell=bash disable=SC2034,SC2154

step "CUDA compiler" install_cuda
