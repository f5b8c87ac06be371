#include "viewer/server/volume_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "tesela/error.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

constexpr std::int64_t most_pixels = std::int64_t{8} << 20;

// [x, y], within the picture.
void set_place(VolumeRequest& request, const Json& body) {
    const auto found = body.find("at");
    if (found == body.end() || !found->is_array() || found->size() != 2)
        throw Refused(400, "'at' must be the pixel that was clicked, [x, y]", "at");
    const Json place{{"x", (*found)[0]}, {"y", (*found)[1]}};
    try {
        request.x = whole_in(place, "x", 0, request.settings.width - 1);
        request.y = whole_in(place, "y", 0, request.settings.height - 1);
    } catch (const Refused& refused) {
        throw Refused(400, std::string("at: ") + refused.what(), "at");
    }
}

RenderSettings settings_in(const Job& call) {
    const auto& options = call.options.as<RenderOptions>();
    if (options.turntable > 0)
        throw Refused(400, "a view has one picture: turntables are jobs", "turntable");
    try {
        const RenderSettings settings = settings_of(options);
        level_of(options);
        if (settings.width * settings.height > most_pixels)
            throw Refused(413, "the picture has more than 8 Mi pixels: ask for a smaller size",
                          "size");
        return settings;
    } catch (const InvalidArgument& error) {
        throw Refused(400, error.what(), option_in(*call.operation, error.what()));
    }
}

// Of the shell, or of Python.
std::string text_of_lines(const std::vector<std::string>& lines) {
    return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

const JobInput* VolumeRequest::find_input(std::string_view name) const {
    const auto found = std::find_if(call->inputs.begin(), call->inputs.end(),
                                    [&](const JobInput& input) { return input.name == name; });
    return found == call->inputs.end() ? nullptr : &*found;
}

VolumeRequest volume_request(const Json& body, const operations::Registry& registry, Images& images,
                             bool is_pick) {
    Json rest = body;
    rest["operation"] = "render";
    VolumeRequest request;
    if (body.contains("jpeg")) request.jpeg = static_cast<int>(whole_in(body, "jpeg", 1, 100));
    rest.erase("jpeg");
    rest.erase("at");
    request.call = parsed_job(rest, registry, images);
    request.settings = settings_in(*request.call);
    if (request.jpeg > 0 && request.settings.background.transparent)
        throw Refused(400, "a JPEG has a background: leave jpeg or transparent out", "jpeg");
    const JobInput* volume = request.find_input("input");
    if (!volume || volume->images.size() != 1)
        throw Refused(400, "a view shows one image: {\"input\": {\"image\": N}}", "input");
    if (const JobInput* labels = request.find_input("labels"); labels && !labels->images.empty())
        request.edited = images.find_labels(labels->images.front()->id);
    if (is_pick) set_place(request, body);
    return request;
}

Json lines_of(const VolumeRequest& request, const std::string& device) {
    RecipeCall call = recipe_of(*request.call, device);
    call.outputs = {{"view", "view.png"}};
    return {{"command", text_of_lines(command_lines(call))},
            {"python", text_of_lines(python_lines(call))}};
}

}  // namespace tesela::viewer
