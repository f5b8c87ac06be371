// No file is lost through its name: inputs and each other's files are safe, whatever they are
// called.
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class FileNames : public ProgramTest {
  protected:
    static Names otsu(const std::string& input, const Names& more) {
        Names all{"threshold", "otsu", input, "--device", "cpu"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::vector<std::string> contents() const {
        std::vector<std::string> found;
        for (const std::string& name : names())
            if (fs::is_regular_file(file(name))) found.push_back(read_text(name));
        return found;
    }
    // Wrong usage that leaves every file as it is.
    void expect_refused(const Names& words, const Names& arguments) const {
        const std::vector<std::string> before = contents();
        expect_failure(2, words, arguments);
        EXPECT_TRUE(contents() == before);
    }
    // Nothing is computed before the failure.
    void expect_unwritable(const Names& words, Names arguments) const {
        arguments.emplace_back("--dry-run");
        expect_failure(1, words, arguments);
    }
};

TEST_F(FileNames, FoldersOfOmeZarrAreLikeFiles) {
    write("a.ome.zarr", gray_picture(9, 8));
    expect_refused({"--mask", "input"}, otsu("a.ome.zarr", {"-o", "a.ome.zarr", "--force"}));
    ASSERT_EQ(run(otsu("a.ome.zarr", {"-o", "b.ome.zarr"})).code, 0);
    expect_refused({"b.ome.zarr", "exists"}, otsu("a.ome.zarr", {"-o", "b.ome.zarr"}));
    write("c.zarr", gray_picture(700, 600));
    const Outcome outcome = run(otsu("a.ome.zarr", {"-o", "c.zarr", "--force", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(outcome.json()["outputs"][0]["bytes"].get<int>(), 0);
    EXPECT_EQ(shape_of(io::read_image(file("c.zarr")).image), (Shape{9, 8}));
    EXPECT_FALSE(fs::exists(file("c.zarr/1")));
    fs::create_directories(file("d.zarr/mine"));
    expect_unwritable({"d.zarr", "it is a folder"},
                      otsu("a.ome.zarr", {"-o", "d.zarr", "--force"}));
    for (const std::string& name : names()) EXPECT_EQ(name.find(".tesela-"), name.npos) << name;
}

TEST_F(FileNames, LabelsLieInTheirImage) {
    write("a.ome.zarr", gray_picture(700, 600));
    const auto components = [&](const Names& more) {
        Names all{"components", "a.ome.zarr", "--device", "cpu"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::string cells = "a.ome.zarr/labels/cells";
    const Outcome outcome = run(components({"--labels", cells, "--names", "1=edge", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["outputs"][0]["path"], cells);
    ASSERT_EQ(run(components({"--labels", "b.tif"})).code, 0);
    EXPECT_EQ(io::read_labels(file(cells)).pixels(), io::read_labels(file("b.tif")).pixels());
    EXPECT_NE(read_text("a.ome.zarr/labels/.zattrs").find("cells"), std::string::npos);
    EXPECT_FALSE(fs::exists(file("a.ome.zarr/labels/cells.labels.json")));
    EXPECT_NE(run({"measure", cells}).out.find("edge"), std::string::npos);

    expect_refused({"exists"}, components({"--labels", cells}));
    ASSERT_EQ(run(components({"--labels", cells, "--force"})).code, 0);
    expect_refused({"input"}, {"mask", "keep", "1", cells, "-o", cells, "--force"});
    expect_refused({"holds an input"}, {"mask", "keep", "1", cells, "-o", "a.ome.zarr", "--force"});
    ASSERT_EQ(run({"mask", "keep", "1", cells, "-o", "a.ome.zarr/labels/one"}).code, 0);
    EXPECT_NE(read_text("a.ome.zarr/labels/.zattrs").find("one"), std::string::npos);
    // What cannot be is known before the work.
    expect_refused({"--table", "lies in what --labels writes"},
                   {"components", "b.tif", "--labels", "a.ome.zarr", "--table",
                    "a.ome.zarr/labels/t.csv", "--force"});
    expect_unwritable({"no folder", "'c.ome.zarr'"},
                      components({"--labels", "c.ome.zarr/labels/cells"}));
    fs::create_directory(file("c.ome.zarr"));
    expect_unwritable({"'c.ome.zarr'", "no OME-Zarr"},
                      components({"--labels", "c.ome.zarr/labels/cells"}));
    for (const std::string& name : names()) EXPECT_EQ(name.find(".tesela-"), name.npos) << name;
}

TEST_F(FileNames, PixelsOfAnInputStay) {
    write("head.mhd", volume(9, 8, 7));
    for (const std::string output : {"head.nhdr", "./head.nhdr", "head.mhd"})
        expect_refused({"--mask", "input"}, otsu("head.mhd", {"-o", output, "--force"}));
    expect_refused({"--table", "'head.raw'", "input"},
                   {"components", "head.mhd", "--table", "head.raw", "--force"});

    // Under any name, in any folder, and of inputs behind the first.
    fs::create_directory(file("far"));
    fs::rename(file("head.raw"), file("far/pixels.png"));
    std::string header = read_text("head.mhd");
    header.replace(header.find("head.raw"), 8, "far/pixels.png");
    write_text("head.mhd", header);
    expect_refused({"'far/pixels.png'", "input"},
                   otsu("head.mhd", {"-o", "far/pixels.png", "--force"}));
    write("seeds.nhdr", volume(9, 8, 7));
    expect_refused({"'seeds.raw'", "input"},
                   {"grow", "compete", "head.mhd", "--seeds", "seeds.nhdr", "--labels", "seeds.mhd",
                    "--force", "--device", "cpu"});
    EXPECT_EQ(run(otsu("head.mhd", {"-o", "far/mask.nrrd"})).code, 0);
}

TEST_F(FileNames, OutputsShareNoPixels) {
    write("x.nii", volume(9, 8, 7));
    expect_refused({"--filtered", "--labels", "'e.raw'"},
                   {"mean-shift", "x.nii", "-o", "e.mhd", "--labels", "e.nhdr"});
    expect_refused({"--labels", "--table", "e.raw'"},
                   {"components", "x.nii", "-o", "e.mhd", "--table", "./e.raw"});
}

TEST_F(FileNames, ForceReplacesNoPixelsOfAnotherFile) {
    write("x.nii", volume(9, 8, 7));
    write("other.mhd", volume(5, 4, 3));
    expect_refused({"'other.nhdr'", "'other.raw'", "not its own"},
                   otsu("x.nii", {"-o", "other.nhdr", "--force"}));
    ASSERT_EQ(run(otsu("x.nii", {"-o", "other.mhd", "--force"})).code, 0);
    EXPECT_EQ(shape_of(io::read_image(file("other.mhd")).image), (Shape{9, 8, 7}));

    // Through a link the header would go where its pixels do not.
    fs::create_directory(file("real"));
    write("real/far.mhd", volume(5, 4, 3));
    fs::create_symlink("real/far.mhd", file("near.mhd"));
    expect_failure(1, {"'near.mhd'", "'near.raw'", "link"},
                   otsu("x.nii", {"-o", "near.mhd", "--force"}));
    EXPECT_EQ(shape_of(io::read_image(file("real/far.mhd")).image), (Shape{5, 4, 3}));
}

// Whenever the program is killed, no header stands beside the pixels of another image: the old one
// goes first, and the new one comes last.
TEST_F(FileNames, NoHeaderIsEverBesideOtherPixels) {
    write("x.nii", volume(9, 8, 7));
    write("old.mhd", volume(9, 8, 7));
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ASSERT_GE(watch, 0);
    ASSERT_GE(inotify_add_watch(watch, folder.c_str(), IN_MOVED_TO | IN_DELETE), 0);
    ASSERT_EQ(run(otsu("x.nii", {"-o", "old.mhd", "--force"})).code, 0);
    alignas(inotify_event) std::array<char, 1 << 16> bytes{};
    const ssize_t count = read(watch, bytes.data(), bytes.size());
    close(watch);
    Names events;
    for (ssize_t at = 0; at < count;) {
        const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
        const std::string name = event->len > 0 ? event->name : "";
        if (name.starts_with("old."))
            events.push_back((event->mask & IN_DELETE ? "without " : "with ") + name);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    EXPECT_EQ(events, (Names{"without old.mhd", "with old.raw", "with old.mhd"}));
}

TEST_F(FileNames, LinksAndNamesThatCannotBeWritten) {
    write("picture.png", gray_picture(40, 30));
    fs::create_symlink("loop.png", file("loop.png"));
    expect_unwritable({"'loop.png'", "symbolic links"}, otsu("picture.png", {"-o", "loop.png"}));
    fs::create_symlink("nowhere/new.png", file("broken.png"));
    expect_unwritable({"'broken.png'", "leads nowhere"},
                      otsu("picture.png", {"-o", "broken.png", "--force"}));
    fs::create_directory(file("real"));
    write_text("real/old.png", "old");
    fs::create_symlink("real/old.png", file("link.png"));
    ASSERT_EQ(run(otsu("picture.png", {"-o", "link.png", "--force"})).code, 0);
    EXPECT_TRUE(fs::is_symlink(file("link.png")));
    EXPECT_EQ(shape_of(io::read_image(file("real/old.png")).image), (Shape{40, 30}));

    const auto long_name = [](std::size_t length, const std::string& suffix) {
        return std::string(length - suffix.size(), 'n') + suffix;
    };
    expect_unwritable({"File name too long"}, otsu("picture.png", {"-o", long_name(256, ".png")}));
    // The side file is longer.
    expect_unwritable({"labels.json", "File name too long"},
                      {"components", "picture.png", "-o", long_name(255, ".png")});
    expect_unwritable({"File name too long"},
                      {"components", "picture.png", "--table", long_name(256, ".csv")});
    // The longest that can be, also where there is an old file to be kept until the end.
    const std::string longest = long_name(255, ".png");
    write_text(longest, "old");
    const Outcome outcome = run(otsu("picture.png", {"-o", longest, "--force"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(shape_of(io::read_image(file(longest)).image), (Shape{40, 30}));
}

// The hidden folder makes a path longer than the system takes; that is known before the work.
TEST_F(FileNames, PathsThatAreTooLongWhileTheyAreWritten) {
    write("picture.png", gray_picture(40, 30));
    const std::string step = "./", name = "t.csv";
    std::string path;
    while (path.size() + step.size() + name.size() < 4090) path += step;
    expect_unwritable({"File name too long"},
                      {"components", "picture.png", "--table", path + name});
}

TEST_F(FileNames, AnyBytes) {
    const std::string name = "caf\xe9\n";
    write(name + ".png", gray_picture(40, 30));
    for (const std::string suffix :
         {".png", ".jpg", ".tif", ".bmp", ".nii", ".nii.gz", ".nrrd", ".mha"}) {
        const Outcome outcome =
            run(otsu(name + ".png", {"-o", "out" + name + suffix, "--json", "-v"}));
        ASSERT_EQ(outcome.code, 0) << suffix << outcome.err;
        EXPECT_EQ(outcome.json()["input"]["path"], "caf\\xe9\n.png");
        EXPECT_EQ(outcome.json()["outputs"][0]["path"], "outcaf\\xe9\n" + suffix);
        EXPECT_EQ(outcome.json()["parameters"]["mask"], "outcaf\\xe9\n" + suffix);
        EXPECT_NE(outcome.err.find("wrote outcaf\\xe9\\x0a" + suffix), std::string::npos)
            << outcome.err;
        EXPECT_EQ(shape_of(io::read_image(file("out" + name + suffix)).image), (Shape{40, 30}));
    }
    // Those whose header, a text, names the pixels.
    for (const std::string suffix : {".nhdr", ".mhd"}) {
        const std::string output = "caf\xe9" + suffix.substr(1) + suffix;
        const Outcome outcome = run(otsu(name + ".png", {"-o", output}));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(shape_of(io::read_image(file(output)).image), (Shape{40, 30}));
        expect_failure(1, {"\\xe9\\x0a" + suffix, "control character"},
                       otsu(name + ".png", {"-o", name + suffix}));
    }
    const Outcome info = run({"info", name + ".png", "caf\xe9nhdr.nhdr"});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_TRUE(info.out.starts_with("caf\\xe9\\x0a.png\n  format")) << info.out;
    const Json facts = run({"info", "--json", name + ".png"}).json();
    EXPECT_EQ(facts["files"][0]["path"], "caf\\xe9\n.png");
    const Outcome evaluation = run({"evaluate", "labels", name + ".png", name + ".png", "--json"});
    EXPECT_EQ(evaluation.json()["segmentation"], "caf\\xe9\n.png");
    EXPECT_NE(run(otsu(name + ".png", {"-o", "new\n.png", "--dry-run"})).out.find("new\\x0a.png\n"),
              std::string::npos);
}

TEST_F(FileNames, AnErrorIsOneLine) {
    write("picture.png", gray_picture(40, 30));
    const auto expect_line = [&](int code, const std::string& words, const Names& arguments) {
        expect_failure(code, {words}, arguments);
        const std::string err = run(arguments).err;
        EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    };
    expect_line(3, "'no\\x0asuch\\x1b[31m.png'", {"info", "no\nsuch\x1b[31m.png"});
    expect_line(3, "'\\xff.png'", {"info", "\xff.png"});
    expect_line(2, "'a\\x0ab'",
                {"mean-shift", "picture.png", "-o", "f.png", "--spatial", "a\nb", "-q"});
    expect_line(2, "'a\\x09\\x0d\\xfe'", {"a\t\r\xfe"});
    expect_line(2, "'--a\\x0ab'", {"info", "picture.png", "--a\nb"});
    expect_line(3, "x\\x0a.toml", {"info", "picture.png", "--config", "x\n.toml"});
}

}  // namespace
}  // namespace tesela::cli::testing
