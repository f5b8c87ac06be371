#include "viewer/server/volume_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "operations/kinds/render.h"
#include "operations/rendering.h"
#include "tesela/render_io.h"
#include "viewer/server/job_inputs.h"

namespace tesela::viewer {
namespace {

const RenderOptions& options_of(const VolumeRequest& request) {
    return request.call->options.as<RenderOptions>();
}

constexpr std::size_t histogram_bins = 256;

// {"lowest": -1024, "highest": 3071, "counts": [...]}: how often values occur, of at most some
// millions of voxels.
template <class T>
Json histogram_of(const PixelView<T>& volume) {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    const std::int64_t points = volume.shape().points(), step = (points + most - 1) / most;
    double lowest = std::numeric_limits<double>::max(), highest = -lowest;
    const auto for_each = [&](const auto& take) {
        for (std::int64_t i = 0; i < points; i += step)
            if (const auto value = static_cast<double>(volume.data()[i]); std::isfinite(value))
                take(value);
    };
    for_each([&](double value) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    });
    if (lowest > highest) return Json();
    std::vector<std::int64_t> counts(histogram_bins, 0);
    const double bins_per_value =
        highest > lowest ? static_cast<double>(histogram_bins) / (highest - lowest) : 0;
    for_each([&](double value) {
        const auto bin = static_cast<std::size_t>((value - lowest) * bins_per_value);
        ++counts[std::min(bin, histogram_bins - 1)];
    });
    return {{"lowest", lowest}, {"highest", highest}, {"counts", counts}};
}

Json json_of(const Camera& camera) {
    return {{"position", camera.position},
            {"target", camera.target},
            {"up", camera.up},
            {"height", camera.height}};
}

Json json_of(const TransferFunction& transfer, const std::array<double, 2>& range) {
    const bool has_range = range[1] > range[0];
    return Json::parse(io::transfer_function_text(
        in_file_units(transfer, range[0], has_range ? range[1] : range[0] + 1)));
}

// That without a name is what volumes are shown by that name none.
Json presets_of(const Renderer& renderer) {
    const auto range = renderer.value_range();
    const auto preset = [&](std::string_view name, std::string_view purpose,
                            const TransferFunction& transfer) {
        return Json{{"name", name}, {"purpose", purpose}, {"transfer", json_of(transfer, range)}};
    };
    Json list = Json::array();
    list.push_back(preset("", "as the values suggest", default_transfer(renderer)));
    for (const auto& [name, purpose] : transfer_presets())
        list.push_back(preset(name, purpose, *transfer_preset(name)));
    return list;
}

}  // namespace

VolumeScene::VolumeScene(const VolumeRequest& request, Queue& queue)
    : volume_(request.volume()),
      level_(level_of(options_of(request))),
      renderer_(request.volume()->pixels.view(), queue, level_) {}

bool VolumeScene::is_of(const VolumeRequest& request) const {
    return volume_.lock() == request.volume() && level_of(options_of(request)) == level_;
}

tesela::Image<std::uint8_t> VolumeScene::draw(const VolumeRequest& request,
                                              const Progress& progress) {
    const Job& job = *request.call;
    operations::Values values;
    values.set("input", request.volume()->pixels);
    for (const char* name : {"transfer", "camera"})
        if (const JobInput* given = request.find_input(name))
            set_value(*job.operation, *given, values);
    const operations::Call call{.inputs = values, .options = job.options, .wanted = job.wanted};
    drawn_.clear();
    set_labels(request);
    if (const auto transfer = operations::transfer_of(call, renderer_))
        renderer_.set_transfer(*transfer);
    else
        renderer_.clear_transfer();
    tesela::Image<std::uint8_t> picture =
        renderer_.render(operations::camera_of(call, renderer_), request.settings, progress)
            .picture;
    drawn_ = lines_of(request, "").dump();
    return picture;
}

// Those of the last picture stay where they are.
void VolumeScene::set_labels(const VolumeRequest& request) {
    const JobInput* given = request.find_input("labels");
    if (!given) {
        if (labels_.lock()) renderer_.clear_labels();
        labels_.reset();
        return;
    }
    const std::string& opacity = options_of(request).label_opacity;
    if (given->images.size() == 1 && labels_.lock() == given->images.front() &&
        label_opacity_ == opacity)
        return;
    operations::Values values;
    set_value(*request.call->operation, *given, values);
    auto colored = values.get<operations::ColoredLabels>("labels");
    set_opacities(colored.colors, opacity);
    labels_.reset();
    renderer_.set_labels(colored.labels.pixels<std::uint32_t>(), colored.colors);
    labels_ = given->images.front();
    label_opacity_ = opacity;
}

std::optional<RenderHit> VolumeScene::pick(const VolumeRequest& request, const Progress& progress) {
    const JobInput* labels = request.find_input("labels");
    const bool has_same_labels = !labels || labels_.lock() == labels->images.front();
    if (!has_same_labels || drawn_ != lines_of(request, "").dump()) draw(request, progress);
    return renderer_.hit(request.x, request.y);
}

Json VolumeScene::describe(const VolumeRequest& request) const {
    const AnyImageView& volume = request.volume()->pixels.view();
    const bool is_gray = volume.shape().channels == 1;
    Json cameras = Json::object();
    for (const auto& [view, name] : enum_names(CameraView{}))
        cameras[std::string(name)] = json_of(camera_of(renderer_, view, RenderOptions{}));
    return {{"level", renderer_.level()},
            {"range", renderer_.value_range()},
            {"histogram",
             is_gray ? volume.visit([](const auto& v) { return histogram_of(v); }) : Json()},
            {"presets", is_gray ? presets_of(renderer_) : Json::array()},
            {"cameras", std::move(cameras)}};
}

}  // namespace tesela::viewer
