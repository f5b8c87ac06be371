// What the tests of labels that are edited share.
#pragma once

#include <cmath>
#include <random>

#include "viewer_test.h"

namespace tesela::viewer::testing {

using Bits = std::vector<std::uint32_t>;
using Point = std::array<double, 3>;

// Whole numbers from 0, of a fixed seed.
class Numbers {
  public:
    explicit Numbers(unsigned seed) : random_(seed) {}
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
    std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  private:
    std::mt19937 random_;
};

// Turned about two axes, with voxels of three different lengths.
inline Geometry oblique() {
    const double a = 0.5, b = 0.3;
    return {.spacing = {0.5, 1, 2.5},
            .origin = {-20, 12, 5},
            .direction = {std::cos(a), -std::sin(a) * std::cos(b), std::sin(a) * std::sin(b),
                          std::sin(a), std::cos(a) * std::cos(b), -std::cos(a) * std::sin(b), 0,
                          std::sin(b), std::cos(b)},
            .unit = Unit::millimeter};
}

class EditedLabels : public ViewerTest {
  protected:
    static constexpr std::int64_t width = 40, height = 30, depth = 12;

    void start_with_volume(const Geometry& geometry = {.unit = Unit::millimeter}) {
        write("head.nii", cli::testing::volume(width, height, depth, geometry));
        ViewerSettings made = settings({"head.nii"});
        made.save_to = folder;
        start(made);
        labels_ = new_labels({{"of", 1}});
    }
    int new_labels(const Json& request) const {
        const Answer answer = client().post("/api/labels", request);
        EXPECT_EQ(answer.status, 201) << answer.body;
        return answer.status == 201 ? answer.json().at("image").get<int>() : 0;
    }
    std::string address(const std::string& part = "") const {
        return "/api/labels/" + std::to_string(labels_) + part;
    }
    Json state() const { return client().get(address()).json(); }
    std::int64_t revision() const { return state().at("revision"); }
    Answer ask(Json edit) const {
        if (!edit.contains("revision")) edit["revision"] = revision();
        return client().post(address("/edits"), edit);
    }
    Json edit(const Json& request) const {
        const Answer answer = ask(request);
        EXPECT_EQ(answer.status, 200) << request << answer.body;
        return answer.json();
    }
    Json undo() const { return edit({{"edit", "undo"}}); }
    Json redo() const { return edit({{"edit", "redo"}}); }
    void expect_refused(const Json& request, int status, const std::string& field,
                        const std::string& words) const {
        const Bits before = bits();
        const Answer answer = ask(request);
        EXPECT_EQ(answer.status, status) << request << answer.body;
        EXPECT_EQ(answer.field(), field) << request << answer.body;
        EXPECT_NE(answer.error().find(words), std::string::npos) << answer.error();
        EXPECT_EQ(bits(), before);
    }
    Bits bits() const { return samples<std::uint32_t>(labels_); }
    static std::size_t index(std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<std::size_t>((z * height + y) * width + x);
    }
    static Json box(std::uint32_t label, const Json& first, const Json& last) {
        return {{"edit", "box"}, {"label", label}, {"first", first}, {"last", last}};
    }
    static Json dab(std::uint32_t label, const Json& at, double radius) {
        return {{"edit", "stroke"}, {"label", label}, {"points", {at}}, {"radius", radius}};
    }

    int labels_ = 0;
};

}  // namespace tesela::viewer::testing
