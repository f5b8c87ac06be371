#include "viewer/server/labels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "tesela/error.h"
#include "viewer/server/image_facts.h"
#include "viewer/server/query.h"
#include "viewer/server/slices.h"

namespace tesela::viewer {
namespace {

constexpr std::size_t most_listed = 500;
constexpr std::size_t most_states = 64;  // of which a revision is remembered
constexpr std::size_t most_changes = 1024;

std::unordered_map<std::uint32_t, std::int64_t> counts_of(const LabelImage& labels) {
    std::unordered_map<std::uint32_t, std::int64_t> counts;
    const auto pixels = labels.pixels();
    for (std::size_t at = 0; at < pixels.size();) {
        const std::uint32_t label = pixels[at];
        std::size_t end = at + 1;
        while (end < pixels.size() && pixels[end] == label) ++end;
        if (label != 0) counts[label] += static_cast<std::int64_t>(end - at);
        at = end;
    }
    return counts;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string text_in(const Query& query, std::string_view key) {
    const auto found = query.find(key);
    return found == query.end() ? std::string() : found->second;
}

}  // namespace

Labels::Labels(int id, LabelsStart start, const LabelsSettings& settings, Events& events)
    : id_(id),
      settings_(settings),
      shape_(start.labels.shape()),
      start_(std::move(start)),
      events_(events),
      pixels_(std::make_shared<Pixels>()),
      history_(most_steps, settings.history_bytes) {
    pixels_->labels = std::move(start_.labels);
    table_ = std::move(start_.table);
    counts_ = counts_of(pixels_->labels);
}

std::int64_t Labels::bytes() const {
    const std::shared_lock lock(mutex_);
    return shape_.points() * static_cast<std::int64_t>(sizeof(std::uint32_t)) + history_.bytes();
}

// What the command line calls it.
std::string Labels::file() const {
    const bool is_saved = !saved_as_.empty() && history_.state() == saved_state_;
    return is_saved ? saved_as_ : "labels-" + std::to_string(id_) + ".nii.gz";
}

ImagePointer Labels::image() const {
    const std::unique_lock lock(mutex_);
    if (image_) return image_;
    ++pixels_->readers;
    const AnyImageView::Owner owner(pixels_.get(),
                                    [pixels = pixels_](const void*) { --pixels->readers; });
    Recipe recipe = recipe_of_file(file());
    if (file() != saved_as_)
        recipe.commands =
            recipe.python = {"# " + file() + ": labels edited in the viewer and saved so"};
    image_ = std::make_shared<const Image>(
        Image{.id = id_,
              .name = start_.name,
              .role = Role::labels,
              .of = start_.of,
              .pixels = operations::ImageValue(AnyImageView(view(), owner))
                            .with_labels(std::make_shared<const LabelTable>(table_)),
              .recipe = std::move(recipe),
              .revision = revision_});
    return image_;
}

Response Labels::slice(const Query& query, bool accepts_gzip) const {
    const std::shared_lock lock(mutex_);
    const Slice slice = slice_of(query, shape_);
    const auto since = find_whole(query, "since");
    return slice_response(view(), slice, accepts_gzip,
                          since ? changed_in(slice, *since) : std::nullopt);
}

// The box around those changes that count.
std::optional<LabelBox> Labels::changes_since(
    std::int64_t revision, const std::function<bool(const LabelBox&)>& counts) const {
    const auto known = static_cast<std::int64_t>(changes_.size());
    if (revision > revision_ || revision < revision_ - known) return {};
    LabelBox all{.first = {shape_.x, shape_.y, shape_.z}, .last = {-1, -1, -1}};
    for (auto change = changes_.end() - (revision_ - revision); change != changes_.end(); ++change)
        if (!change->empty() && counts(*change))
            for (std::size_t axis = 0; axis < 3; ++axis) {
                all.first[axis] = std::min(all.first[axis], change->first[axis]);
                all.last[axis] = std::max(all.last[axis], change->last[axis]);
            }
    return all;
}

std::optional<LabelBox> Labels::changes_since(std::int64_t revision) const {
    const std::shared_lock lock(mutex_);
    return changes_since(revision, [](const LabelBox&) { return true; });
}

// Where a slice of a revision differs from the present one at most; nothing: anywhere.
std::optional<SlicePart> Labels::changed_in(const Slice& slice, std::int64_t since) const {
    const auto across = static_cast<std::size_t>(slice.axis);
    const auto all = changes_since(since, [&](const LabelBox& change) {
        return change.first[across] <= slice.index && slice.index <= change.last[across] &&
               change.t.value_or(slice.time) == slice.time;
    });
    if (!all) return {};
    return all->empty() ? SlicePart{} : part_of(slice, all->first, all->last);
}

Json Labels::state() const {
    const auto name_of = [](const LabelStep* step) { return step ? Json(step->name) : Json(); };
    return {{"id", id_},
            {"revision", revision_},
            {"unsaved", history_.state() != saved_state_},
            {"undo", name_of(history_.to_undo())},
            {"redo", name_of(history_.to_redo())}};
}

Json Labels::describe(const Query& query) const {
    for (const auto& [key, value] : query)
        if (key != "search") throw Refused(400, "'" + key + "' is no part of this request", key);
    const std::string search = lower(text_in(query, "search"));
    const std::shared_lock lock(mutex_);
    std::set<std::uint32_t> all;
    for (const auto& [label, described] : table_)
        if (label != 0) all.insert(label);
    for (const auto& [label, count] : counts_) all.insert(label);
    Json json = state();
    json["count"] = all.size();
    json["next"] = all.empty() ? 1 : std::int64_t{*all.rbegin()} + 1;
    Json& list = json["labels"] = Json::array();
    for (const std::uint32_t label : all) {
        const std::string name = label_name(table_, label);
        const std::string number = std::to_string(label);
        if (!number.starts_with(search) && lower(name).find(search) == std::string::npos) continue;
        if (list.size() == most_listed) break;
        const auto counted = counts_.find(label);
        list.push_back({{"label", label},
                        {"name", name},
                        {"color", color_text(color_of(&table_, label))},
                        {"points", counted == counts_.end() ? 0 : counted->second}});
    }
    return json;
}

Json Labels::place(const Query& query) const {
    const std::string text = text_in(query, "label");
    const std::shared_lock lock(mutex_);
    const auto found = std::find_if(counts_.begin(), counts_.end(), [&](const auto& counted) {
        return std::to_string(counted.first) == text;
    });
    if (found == counts_.end())
        throw Refused(404, "there is no voxel of label '" + text + "'", "label");
    // The middle of all its voxels, and of these the nearest one to it, in the order of rows.
    const LabelView labels = view();
    std::array<double, 4> sum{};
    const auto for_each_voxel = [&](auto take) {
        const std::uint32_t* next = labels.data();
        for (std::int64_t t = 0; t < shape_.t; ++t)
            for (std::int64_t z = 0; z < shape_.z; ++z)
                for (std::int64_t y = 0; y < shape_.y; ++y)
                    for (std::int64_t x = 0; x < shape_.x; ++x, ++next)
                        if (*next == found->first) take(std::array{x, y, z, t});
    };
    for_each_voxel([&](const std::array<std::int64_t, 4>& at) {
        for (std::size_t a = 0; a < 4; ++a) sum[a] += static_cast<double>(at[a]);
    });
    std::array<std::int64_t, 4> nearest{};
    double least = HUGE_VAL;
    for_each_voxel([&](const std::array<std::int64_t, 4>& at) {
        double distance = 0;
        for (std::size_t a = 0; a < 4; ++a) {
            const double apart =
                static_cast<double>(at[a]) - sum[a] / static_cast<double>(found->second);
            distance += apart * apart;
        }
        if (distance >= least) return;
        least = distance;
        nearest = at;
    });
    return {{"at", {nearest[0], nearest[1], nearest[2]}}, {"t", nearest[3]}};
}

Queue& Labels::queue() {
    if (!queue_) queue_.emplace(Device::parse("cpu"), QueueOptions{.threads = settings_.threads});
    return *queue_;
}

void Labels::require_revision(const Json& request) const {
    const bool is_this = whole_in(request, "revision", 0, std::int64_t{1} << 53) == revision_;
    const std::string kind = string_in(request, "edit");
    if (is_this || (kind != "undo" && kind != "redo" && is_independent(request))) return;
    throw Refused(409,
                  "the labels have changed meanwhile, in another tab perhaps: look at them again",
                  "revision");
}

Json Labels::edit(const Json& request, Images& images) {
    const std::string kind = string_in(request, "edit");
    const std::lock_guard one_at_a_time(editing_);
    require_revision(request);
    if (kind == "undo" || kind == "redo") {
        allow_keys(request, {"edit", "revision"});
        const bool forward = kind == "redo";
        const LabelStep* step = forward ? history_.to_redo() : history_.to_undo();
        if (!step) throw Refused(409, "there is nothing to " + kind, "edit");
        const std::unique_lock lock(mutex_);
        write(*step, forward);
        forward ? history_.redone() : history_.undone();
        return finish(*step);
    }
    std::uint32_t highest = table_.empty() ? 0 : table_.rbegin()->first;
    for (const auto& [label, count] : counts_) highest = std::max(highest, label);
    // Nothing is written before all is computed: what is refused has changed nothing.
    LabelStep step = step_of(request, {.labels = view(),
                                       .table = table_,
                                       .highest = highest,
                                       .open = [&](int id) { return images.open(id); },
                                       .queue = [this]() -> Queue& { return queue(); }});
    const std::unique_lock lock(mutex_);
    if (step.difference.points() == 0 && step.table.empty()) {
        Json answer = state();
        answer["points"] = 0;
        return answer;
    }
    write(step, true);
    history_.add(std::move(step));
    return finish(*history_.to_undo());
}

// Of a map that is locked.
void Labels::write(const LabelStep& step, bool forward) {
    image_ = nullptr;
    if (step.difference.points() > 0 && pixels_->readers > 0) {
        const auto own = std::make_shared<Pixels>();
        // Takes the memory of a copy that nobody reads any more.
        own->labels = LabelImage::unwritten(shape_, pixels_->labels.geometry);
        std::copy(pixels_->labels.pixels().begin(), pixels_->labels.pixels().end(),
                  own->labels.data());
        pixels_ = own;
    }
    // The new revision and its box at once, before anything is written, so that no error between
    // gives later revisions the boxes of others.
    changes_.push_back(step.difference.points() > 0 ? step.difference.box(shape_)
                                                    : LabelBox{.last = {-1, -1, -1}});
    ++revision_;
    if (changes_.size() > most_changes) changes_.pop_front();
    std::uint32_t* pixels = pixels_->labels.data();
    step.difference.for_each(
        [&](std::int64_t first, std::int64_t length, std::uint32_t before, std::uint32_t after) {
            const std::uint32_t from = forward ? before : after, to = forward ? after : before;
            std::fill_n(pixels + first, length, to);
            if (to != 0) counts_[to] += length;
            if (from == 0) return;
            const auto counted = counts_.find(from);
            if ((counted->second -= length) == 0) counts_.erase(counted);
        });
    for (const TableChange& change : step.table) {
        const auto& description = forward ? change.after : change.before;
        if (description)
            table_[change.label] = *description;
        else
            table_.erase(change.label);
    }
}

// Tells what a step has changed.
Json Labels::finish(const LabelStep& step) {
    states_[revision_] = history_.state();
    while (states_.size() > most_states) states_.erase(states_.begin());
    Json told = state();
    told["points"] = step.difference.points();
    told["table"] = !step.table.empty();
    told["box"] = Json();
    if (step.difference.points() > 0) {
        const LabelBox& box = changes_.back();
        told["box"] = {box.first, box.last};
        told["t"] = box.t ? Json(*box.t) : Json();
    }
    events_.publish("labels", told);
    return told;
}

bool Labels::is_unsaved() const {
    const std::shared_lock lock(mutex_);
    return history_.state() != saved_state_;
}

void Labels::mark_saved(std::int64_t revision, const std::string& path) {
    const std::unique_lock lock(mutex_);
    const auto found = states_.find(revision);
    if (revision != 0 && found == states_.end()) return;  // long ago
    image_ = nullptr;                                     // another line makes it now
    saved_state_ = revision == 0 ? 0 : found->second;
    saved_as_ = path;
    Json told = state();
    told["points"] = 0;
    told["table"] = false;
    told["box"] = Json();
    events_.publish("labels", told);
}

void Labels::shrink_history(std::int64_t bytes) {
    const std::lock_guard one_at_a_time(editing_);
    const std::unique_lock lock(mutex_);
    history_.shrink(bytes);
}

}  // namespace tesela::viewer
