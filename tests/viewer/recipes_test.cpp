// Every result says what to type for it: run by the program, and by Python, that gives the same
// bits.
#include <cstdlib>

#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

class Recipes : public ViewerTest {
  protected:
    void start_with_images() {
        write("head one.nii", cli::testing::volume(40, 30, 12, {.unit = Unit::millimeter}));
        write("photo.png", cli::testing::color_picture(60, 40));
        ViewerSettings made = settings({});
        made.files = {"head one.nii", "photo.png"};
        // Names as the user wrote them are those of the folder that it was started in.
        before_ = fs::current_path();
        fs::current_path(folder);
        start(made);
    }
    ~Recipes() override {
        if (!before_.empty()) fs::current_path(before_);
    }

    // The lines of a shell, in a folder that has the images alone.
    fs::path run_lines(const std::string& lines) const {
        const fs::path place = folder / "again";
        fs::remove_all(place);
        fs::create_directory(place);
        for (const char* name : {"head one.nii", "photo.png"})
            fs::copy_file(file(name), place / name);
        const std::string bin = fs::path(TESELA_PROGRAM).parent_path().string();
        write_text("again/run.sh",
                   "set -e\ncd '" + place.string() + "'\nPATH=" + bin + ":$PATH\n" + lines + "\n");
        EXPECT_EQ(std::system(("sh '" + (place / "run.sh").string() + "' >/dev/null 2>&1").c_str()),
                  0)
            << lines;
        return place;
    }
    // The samples of an output against those of the file that the last line writes.
    template <class T>
    void expect_same(const Json& state, const std::string& output, const std::string& name) {
        const std::string command = state.at("command");
        EXPECT_NE(command.find(name), std::string::npos) << command;
        const fs::path place = run_lines(command);
        const std::vector<T> shown = samples<T>(state.at("outputs").at(output));
        ASSERT_TRUE(fs::exists(place / name)) << command;
        if constexpr (std::is_same_v<T, std::uint32_t>)
            EXPECT_TRUE(io::read_labels(place / name).pixels() == shown) << command;
        else
            EXPECT_TRUE(std::get<Image<T>>(io::read_image(place / name).image).pixels() == shown)
                << command;
    }

  private:
    fs::path before_;
};

TEST_F(Recipes, CommandsGiveTheSameBits) {
    start_with_images();
    Json request = growth("3,4,5=2;30,20,6=7", 12);
    expect_same<std::uint32_t>(done(request), "labels", "labels-1.nii.gz");
    const Json smooth{{"operation", "image smooth gaussian"},
                      {"inputs", {{"input", {{"image", 2}}}}},
                      {"options", {{"sigma", "1.5px"}}}};
    expect_same<std::uint8_t>(done(smooth), "image", "image-2.png");
    const Json range{{"operation", "threshold range"},
                     {"inputs", {{"input", {{"image", 1}}}}},
                     {"options", {{"low", 60}, {"high", 150}}}};
    expect_same<std::uint8_t>(done(range), "mask", "mask-3.nii.gz");
}

TEST_F(Recipes, ResultsOfResultsNameAllSteps) {
    start_with_images();
    const Json labels = done(growth("3,4,5=2;30,20,6=7", 12));
    const Json request{{"operation", "components"},
                       {"inputs", {{"input", {{"image", labels.at("outputs").at("labels")}}}}}};
    const Json state = done(request);
    expect_same<std::uint32_t>(state, "labels", "labels-2.nii.gz");
    EXPECT_EQ(state.at("python"),
              labels.at("python").get<std::string>() + "\nr2 = tesela.components(r1.labels)");
}

TEST_F(Recipes, OptionsThatWereGivenAreNamed) {
    start_with_images();
    Json request = growth("3,4,5", 12.5);
    request["options"]["connectivity"] = "26";
    request["outputs"] = {"labels", "segmented"};
    const Json state = done(request);
    EXPECT_EQ(state.at("command"),
              "tesela grow tolerance 'head one.nii' --seeds 3,4,5 --tolerance 12.5 "
              "--connectivity 26 -o labels-1.nii.gz --segmented segmented-1.nii.gz");
    EXPECT_EQ(state.at("python"),
              "r1 = tesela.grow.tolerance(\"head one.nii\", seeds=\"3,4,5\", tolerance=12.5, "
              "connectivity=\"26\")");
}

#ifdef TESELA_PYTHON_FOLDER
TEST_F(Recipes, PythonGivesTheSameBits) {
    start_with_images();
    const Json state = done(growth("3,4,5=2;30,20,6=7", 12));
    write_text("again.py", "import tesela\n" + state.at("python").get<std::string>() +
                               "\ntesela.write('python.nii.gz', r1.labels, labels=True)\n");
    const std::string command = std::string("PYTHONPATH=") + TESELA_PYTHON_FOLDER + " " +
                                TESELA_PYTHON + " '" + file("again.py").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text("again.py");
    EXPECT_TRUE(io::read_labels(file("python.nii.gz")).pixels() ==
                samples<std::uint32_t>(state.at("outputs").at("labels")));
}
#endif

}  // namespace
}  // namespace tesela::viewer::testing
