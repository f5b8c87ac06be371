// What becomes of labels that are edited on disk.
#include "edited_labels.h"

namespace tesela::viewer::testing {
namespace {

TEST_F(EditedLabels, WhatIsSavedEqualsWhatIsShown) {
    start_with_volume(oblique());
    EXPECT_EQ(state().at("unsaved"), false);
    edit(dab(3, {20, 15, 6}, 5));
    edit(box(300, {0, 0, 0}, {3, 3, 3}));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}, {"color", "#112233"}});
    EXPECT_EQ(state().at("unsaved"), true);
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    EventReader events(client());
    EXPECT_EQ(client().post(save, {{"name", "edited.nii.gz"}}).status, 200);
    EXPECT_EQ(events.until("labels").at("unsaved"), false);
    EXPECT_EQ(state().at("unsaved"), false);
    const io::LabelMap saved = io::read_label_map(file("edited.nii.gz"));
    EXPECT_TRUE(saved.labels.pixels() == bits());
    EXPECT_EQ(label_name(*saved.table, 3), "heart");
    EXPECT_EQ(color_of(saved.table.get(), 3), (Rgb{0x11, 0x22, 0x33}));
    EXPECT_EQ(client().post(save, {{"name", "edited.nii.gz"}}).status, 409);
    EXPECT_EQ(client().post(save, {{"name", "../edited.nii.gz"}}).status, 400);
    EXPECT_EQ(client().post(save, {{"name", "head.nii"}}).status, 403);
    EXPECT_EQ(client().post(save, {{"name", "head.nii"}, {"replace_labels", true}}).status, 403);
    // An edit and its undo come to what the file has.
    edit(dab(4, {20, 15, 6}, 2));
    EXPECT_EQ(state().at("unsaved"), true);
    undo();
    EXPECT_EQ(state().at("unsaved"), false);
}

TEST_F(EditedLabels, AnOpenedLabelMapIsReplacedWhereTheUserSaysSo) {
    write("head.nii", cli::testing::volume(width, height, depth, {.unit = Unit::millimeter}));
    write("regions.nii", LabelImage({width, height, depth}, {.unit = Unit::millimeter}));
    ViewerSettings made = settings({"head.nii"});
    made.labels = file("regions.nii");
    made.save_to = folder;
    start(made);
    labels_ = new_labels({{"from", 2}});
    edit(box(5, {0, 0, 0}, {3, 3, 3}));
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    EXPECT_EQ(client().post(save, {{"name", "regions.nii"}, {"overwrite", true}}).status, 403);
    EXPECT_EQ(io::read_labels(file("regions.nii"))(0, 0, 0), 0u);
    EXPECT_EQ(client().post(save, {{"name", "regions.nii"}, {"replace_labels", true}}).status, 200);
    EXPECT_EQ(io::read_labels(file("regions.nii"))(0, 0, 0), 5u);
    EXPECT_TRUE(samples<std::uint8_t>(2).size() > 0);  // read again
}

TEST_F(EditedLabels, AFullDiskLosesNoEdit) {
    start_with_volume();
    edit(dab(3, {20, 15, 6}, 5));
    const Bits before = bits();
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    {
        const FullDisk full;
        EXPECT_EQ(client().post(save, {{"name", "edited.nii"}}).status, 500);
        EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}}).status, 500);
    }
    EXPECT_EQ(names(), std::vector<std::string>{"head.nii"});
    EXPECT_EQ(state().at("unsaved"), true);
    EXPECT_TRUE(bits() == before);
    EXPECT_EQ(client().post(save, {{"name", "edited.nii"}}).status, 200);
}

TEST_F(EditedLabels, TablesAndPicturesAreThoseOfTheVerbs) {
    start_with_volume();
    edit(dab(3, {20, 15, 6}, 5));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}});
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}, {"image", 1}}).status, 200);
    EXPECT_EQ(client().post(address("/overlay"), {{"name", "o.png"}, {"image", 1}}).status, 200);
    client().post("/api/images/" + std::to_string(labels_) + "/save", {{"name", "edited.nii"}});
    ASSERT_EQ(run({"measure", "edited.nii", "--on", "head.nii", "-o", "verb.csv"}).code, 0);
    ASSERT_EQ(run({"overlay", "head.nii", "edited.nii", "--fill", "0.4", "-o", "verb.png"}).code,
              0);
    EXPECT_EQ(read_text("t.csv"), read_text("verb.csv"));
    EXPECT_NE(read_text("t.csv").find("heart"), std::string::npos);
    const auto picture = [&](const std::string& name) {
        return std::get<Image<std::uint8_t>>(io::read_image(file(name)).image).pixels();
    };
    EXPECT_TRUE(picture("o.png") == picture("verb.png"));
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}}).status, 409);
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.doc"}}).status, 422);
    EXPECT_EQ(client().post(address("/overlay"), {{"name", "p.png"}}).field(), "image");
}

TEST_F(EditedLabels, UnsavedLabelsAreKeptWhenTheViewerEnds) {
    start_with_volume(oblique());
    edit(dab(3, {20, 15, 6}, 5));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}});
    new_labels({{"of", 1}});  // which nobody edits
    const Bits before = bits();
    const auto rescued = viewer().rescue_labels(file("state/tesela"));
    ASSERT_EQ(rescued.size(), 1u);
    EXPECT_EQ(rescued[0].name, "labels of head.nii");
    EXPECT_EQ(rescued[0].error, "");
    EXPECT_TRUE(rescued[0].path.filename().string().starts_with("labels-of-head-"));
    const io::LabelMap kept = io::read_label_map(rescued[0].path);
    EXPECT_TRUE(kept.labels.pixels() == before);
    EXPECT_EQ(label_name(*kept.table, 3), "heart");
    const auto again = viewer().rescue_labels(file("state/tesela"));
    EXPECT_NE(again.at(0).path, rescued[0].path);
    const auto nowhere = viewer().rescue_labels("/proc/none");
    EXPECT_TRUE(nowhere.at(0).path.empty());
    EXPECT_NE(nowhere.at(0).error, "");
}

}  // namespace
}  // namespace tesela::viewer::testing
