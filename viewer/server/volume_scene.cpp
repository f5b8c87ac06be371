#include "viewer/server/volume_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "files/input_files.h"
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

std::set<std::uint32_t> labels_in(const VoxelBox& box, const LabelView& labels) {
    std::set<std::uint32_t> found;
    std::uint32_t last = 0;
    for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
        for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
            for (std::int64_t x = box.begin[0]; x < box.end[0]; ++x)
                if (const std::uint32_t label = labels(x, y, z); label != last)
                    found.insert(last = label);
    return found;
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
        if (has_labels_) renderer_.clear_labels();
        has_labels_ = false;
        forget_labels();
        return;
    }
    const std::string& opacity = options_of(request).label_opacity;
    if (given->images.size() == 1 && labels_.lock() == given->images.front() &&
        label_opacity_ == opacity)
        return;
    if (update_labels(request)) return;
    operations::Values values;
    set_value(*request.call->operation, *given, values);
    auto colored = values.get<operations::ColoredLabels>("labels");
    set_opacities(colored.colors, opacity);
    forget_labels();
    renderer_.set_labels(colored.labels.pixels<std::uint32_t>(), colored.colors);
    keep_labels(request, std::move(colored.colors));
}

// Of labels that were edited since the last picture, what has changed alone. False where that is
// not known.
bool VolumeScene::update_labels(const VolumeRequest& request) {
    const std::string& opacity = options_of(request).label_opacity;
    if (!request.edited || edited_.lock() != request.edited || label_opacity_ != opacity)
        return false;
    const auto changed = request.edited->changes_since(revision_);
    if (!changed) return false;
    const Image& image = *request.find_input("labels")->images.front();
    const auto labels = image.pixels.pixels<std::uint32_t>();
    VoxelBox box;
    if (!changed->empty()) {
        box.begin = changed->first;
        for (std::size_t a = 0; a < 3; ++a) box.end[a] = changed->last[a] + 1;
    }
    std::set<std::uint32_t> shown = labels_in(box, labels);
    for (const LabelColor& color : label_colors_) shown.insert(color.label);
    std::vector<LabelColor> colors;
    for (const std::uint32_t label : shown)
        if (label != 0)
            colors.push_back(files::label_color(image.pixels.label_table().get(), label));
    set_opacities(colors, opacity);
    forget_labels();
    renderer_.update_labels(labels, colors, box);
    keep_labels(request, std::move(colors));
    return true;
}

void VolumeScene::keep_labels(const VolumeRequest& request, std::vector<LabelColor> colors) {
    const ImagePointer& image = request.find_input("labels")->images.front();
    has_labels_ = true;
    labels_ = image;
    edited_ = request.edited;
    revision_ = image->revision;
    label_colors_ = std::move(colors);
    label_opacity_ = options_of(request).label_opacity;
}

void VolumeScene::forget_labels() {
    labels_.reset();
    edited_.reset();
    label_colors_.clear();
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
