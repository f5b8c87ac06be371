// Compression of what is sent.
#pragma once

#include <string>
#include <string_view>

#include "viewer/server/message.h"

namespace tesela::viewer {

// As gzip, by ISA-L, which takes some milliseconds for a megabyte; empty where that does not make
// it much shorter.
std::string packed(std::string_view bytes);
// Packs the body where the client takes that and it makes it much shorter.
void pack(Response& response, bool accepts_gzip);
// Of a gzip file that is known to be sound.
std::string unpacked(std::string_view gzip);

}  // namespace tesela::viewer
