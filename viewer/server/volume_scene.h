// A volume that stays on a device, with what is shown of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/render.h"
#include "viewer/server/labels.h"
#include "viewer/server/volume_request.h"

namespace tesela::viewer {

class VolumeScene {
  public:
    // Of the request's volume, at the level that it asks for. The queue outlives it. Throws as
    // Renderer.
    VolumeScene(const VolumeRequest& request, Queue& queue);

    bool is_of(const VolumeRequest& request) const;
    // Nobody can ask for the volume any more.
    bool is_gone() const { return volume_.expired(); }
    // The level that fitted; what was asked for may be a finer one.
    int level() const { return renderer_.level(); }
    bool is_coarser_than_asked() const { return renderer_.level() > level_; }

    // What `tesela render` makes of the call, with the same bits. Throws as that does.
    tesela::Image<std::uint8_t> draw(const VolumeRequest& request, const Progress& progress);
    // What is seen at the pixel of the request; it is drawn where that is not the last picture.
    std::optional<RenderHit> pick(const VolumeRequest& request, const Progress& progress);
    // What a page needs to know: values, presets, cameras.
    Json describe(const VolumeRequest& request) const;

  private:
    void set_labels(const VolumeRequest& request);
    bool update_labels(const VolumeRequest& request);
    void keep_labels(const VolumeRequest& request, std::vector<LabelColor> colors);
    void forget_labels();

    std::weak_ptr<const Image> volume_;
    bool has_labels_ = false;
    // What they are; `label_colors_` are of labels that occur, or did.
    std::weak_ptr<const Image> labels_;
    std::weak_ptr<const Labels> edited_;
    std::int64_t revision_ = 0;
    std::vector<LabelColor> label_colors_;
    std::string label_opacity_;
    int level_;
    Renderer renderer_;
    std::string drawn_;  // the command line of the last picture
};

}  // namespace tesela::viewer
