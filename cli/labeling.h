// The job of verbs that label an image.
#pragma once

#include "image_job.h"

namespace tesela::cli {

struct LabelingFiles {
    std::filesystem::path labels, segmented, overlay, random_colors;
};

template <class V>
void describe(V&& v, LabelingFiles& o) {
    v("labels", o.labels,
      "label map, with a side file; regions 1..N in raster order, but seeds with labels keep them");
    v("segmented", o.segmented,
      "image of the regions, each in its mean color; in the input's type");
    v("overlay", o.overlay, "picture of the region boundaries on the input");
    v("random-colors", o.random_colors, "picture of the regions in random colors");
}

struct LabelingSettings : ImageJobSettings {
    LabelingFiles files;
};

// A verb derives its job from this, and adds its outputs where it has more than LabelingFiles.
class LabelingJob : public ImageJob {
  public:
    // `first` is an output that comes before those of LabelingFiles, if there is one.
    LabelingJob(std::string verb, const LabelingSettings& settings, Json parameters,
                const CancelToken& token, const Output& first = {});

  protected:
    std::int64_t result_bytes() const override;
    std::int64_t writing_bytes() const override;
    virtual const LabelImage& labels() const = 0;
    virtual const AnyImage& segmented() const = 0;
    // Of further outputs.
    virtual void probe_more(const AnyImage&) const {}
    virtual void stage_more() {}

    bool wants_labels() const;

  private:
    void probe_outputs(const AnyImage& sample) const override;
    void stage_outputs(const Progress& progress) override;
    std::string output_flags() const override;

    std::string first_;  // the kind of an output before those of LabelingFiles
};

}  // namespace tesela::cli
