// What a page asks for of a volume in three dimensions: a call of `tesela render`.
#pragma once

#include <cstdint>
#include <memory>

#include "tesela/render.h"
#include "viewer/server/job.h"

namespace tesela::viewer {

struct VolumeRequest {
    std::unique_ptr<Job> call;  // without values of its inputs
    RenderSettings settings = {};
    std::shared_ptr<const Labels> edited = {};  // the labels, where they are edited
    int jpeg = 0;                               // quality; 0: the samples as they are
    // Of a pick: a pixel.
    std::int64_t x = 0, y = 0;

    const JobInput* find_input(std::string_view name) const;
    // That of the volume.
    const ImagePointer& volume() const { return find_input("input")->images.front(); }
};

// From the body of a request. Throws Refused that names the field.
VolumeRequest volume_request(const Json& body, const operations::Registry& registry, Images& images,
                             bool is_pick);

// The lines of a shell, and of Python, that give the same picture; {command, python}. `device`: as
// the command line would have to name it; empty: it need not.
Json lines_of(const VolumeRequest& request, const std::string& device);

}  // namespace tesela::viewer
