// Damages the bytes of a file in the ways that disks, networks, editors and ill will do.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tesela::fuzz {

using Bytes = std::vector<std::uint8_t>;

// One to three kinds of damage: bits flipped, bytes zeroed, numbers made extreme, pieces repeated
// or left out, the end cut off. Headers lie in front and get half of it. Where the damaged file is
// a PNG or a .tvol, its checksums are mostly made right again, so that the decoder looks further.
// The same state of `random` gives the same damage.
Bytes damaged(Bytes bytes, std::mt19937& random);

}  // namespace tesela::fuzz
