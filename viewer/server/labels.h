// A label map that people edit: strokes and computed edits, which can be taken back, and what has
// not been saved yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "viewer/server/events.h"
#include "viewer/server/images.h"
#include "viewer/server/label_edits.h"
#include "viewer/server/label_history.h"
#include "viewer/server/message.h"
#include "viewer/server/slices.h"

namespace tesela::viewer {

// What a label map is made of.
struct LabelsStart {
    std::string name;
    std::optional<int> of = {};  // the image on whose grid it lies
    LabelImage labels;
    LabelTable table = {};
};

struct LabelsSettings {
    std::int64_t history_bytes = 0;  // of what can be taken back
    int threads = 0;                 // of the CPU, for edits that are computed; 0: all
};

class Labels {
  public:
    static constexpr std::size_t most_steps = 100;

    // `id`: its number among the images. Whatever changes is told by the event `labels`.
    Labels(int id, LabelsStart start, const LabelsSettings& settings, Events& events);

    const std::string& name() const { return start_.name; }
    std::optional<int> of() const { return start_.of; }
    Shape shape() const { return shape_; }
    std::int64_t bytes() const;

    // As it is now: later edits do not change what was given out. The same one until the next.
    ImagePointer image() const;
    // Of a state between two edits; with `since`, a revision that the page has the slice of, what
    // has changed of it, as far as that is remembered.
    Response slice(const Query& query, bool accepts_gzip) const;
    // Where the map differs from a revision at most; nothing: anywhere, as that is long ago.
    std::optional<LabelBox> changes_since(std::int64_t revision) const;
    // Revision, steps and labels, as viewer/README.md says: those whose name or number has the text
    // of the query's `search`.
    Json describe(const Query& query) const;
    // A voxel of a label, near the middle of it. Throws Refused (404) where it does not occur.
    Json place(const Query& query) const;

    // An edit, or one of `undo` and `redo`. Throws Refused: 409 where it was meant for another
    // revision and depends on what the user saw, or there is nothing to be taken back.
    Json edit(const Json& request, Images& images);

    // Whether there are edits that no file has.
    bool is_unsaved() const;
    // A file has the labels of the revision.
    void mark_saved(std::int64_t revision, const std::string& path);
    // Drops the oldest steps, so that those that stay take no more than so many bytes.
    void shrink_history(std::int64_t bytes);

  private:
    // The pixels, which stay as they are as long as somebody else reads them.
    struct Pixels {
        LabelImage labels;
        std::atomic<int> readers{0};
    };

    LabelView view() const { return pixels_->labels; }
    std::string file() const;
    Json state() const;
    Queue& queue();
    void write(const LabelStep& step, bool forward);
    Json finish(const LabelStep& step);
    void require_revision(const Json& request) const;
    std::optional<SlicePart> changed_in(const Slice& slice, std::int64_t since) const;
    std::optional<LabelBox> changes_since(std::int64_t revision,
                                          const std::function<bool(const LabelBox&)>& counts) const;

    const int id_;
    const LabelsSettings settings_;
    const Shape shape_;
    LabelsStart start_;  // without its labels and table
    Events& events_;
    std::optional<Queue> queue_;

    std::mutex editing_;  // one edit at a time; whoever has it may read all that follows
    mutable std::shared_mutex mutex_;  // guards what follows while it is written
    std::shared_ptr<Pixels> pixels_;
    mutable ImagePointer image_;  // of the present revision, where somebody asked for it
    LabelTable table_;
    std::unordered_map<std::uint32_t, std::int64_t> counts_;  // voxels of each label above 0
    LabelHistory history_;
    std::int64_t revision_ = 0;
    std::uint64_t saved_state_ = 0;
    std::map<std::int64_t, std::uint64_t> states_;  // by the revisions that were given out last
    std::string saved_as_;
    std::deque<LabelBox> changes_;  // of the last revisions, empty where no voxel changed
};

}  // namespace tesela::viewer
