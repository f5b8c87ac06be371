// Cameras that show all of a volume, and turns around it.
#include <algorithm>
#include <cmath>

#include "tesela/error.h"
#include "tesela/render.h"

namespace tesela {
namespace {

Camera frame_of(const Camera& camera, int frame, int frames) {
    return turned(camera, {.azimuth = 360.0 * frame / frames});
}

}  // namespace

Camera camera_of(const Renderer& renderer, const CameraChoice& choice,
                 const RenderOptions& options) {
    const RenderSettings settings = settings_of(options);
    const auto* view = std::get_if<CameraView>(&choice);
    const Camera camera =
        turned(view ? renderer.camera(*view, options.perspective) : std::get<Camera>(choice),
               {options.azimuth, options.elevation, options.roll});
    if (!view) return turned(camera, {.zoom = options.zoom});
    const double aspect =
        static_cast<double>(settings.width) / static_cast<double>(settings.height);
    const int frames = std::max(options.turntable, 1);
    double fitting = fitting_zoom(camera, renderer.corners(), aspect);
    for (int i = 1; i < frames; ++i)
        fitting = std::min(fitting,
                           fitting_zoom(frame_of(camera, i, frames), renderer.corners(), aspect));
    return turned(camera, {.zoom = fitting * options.zoom});
}

// In CT, air has -1000 HU, or less outside the field of view. Other volumes may have any size, so
// that the reference length is a share of their extent.
TransferFunction default_transfer(const Renderer& renderer) {
    const auto [low, high] = renderer.value_range();
    if (low >= -4096 && low < -500 && high > 0) return *transfer_preset("ct-bone");
    TransferFunction transfer = *transfer_preset("mr");
    constexpr double layers = 300;  // along the diagonal; about a millimeter in a head
    const auto corners = renderer.corners();
    const double diagonal = std::hypot(corners[7][0] - corners[0][0], corners[7][1] - corners[0][1],
                                       corners[7][2] - corners[0][2]);
    transfer.reference_length = diagonal / layers;
    return transfer;
}

RenderedView render_turntable(Renderer& renderer, const Camera& camera,
                              const RenderSettings& settings, std::int32_t frames,
                              const Progress& progress) {
    if (frames < 1) throw InvalidArgument("a turn around a volume has at least one frame");
    RenderedView all;
    for (std::int32_t i = 0; i < frames; ++i) {
        progress.report(static_cast<double>(i) / frames, "render");
        const RenderedView view = renderer.render(frame_of(camera, i, frames), settings);
        if (i == 0) {
            Shape shape = view.picture.shape();
            shape.t = frames;
            all.picture = Image<std::uint8_t>(shape);
            all.picture.has_alpha = view.picture.has_alpha;
            all.depth = view.depth;
        }
        std::copy(view.picture.pixels().begin(), view.picture.pixels().end(),
                  all.picture.pixels().begin() + i * view.picture.shape().elements());
    }
    return all;
}

}  // namespace tesela
