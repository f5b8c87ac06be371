// Output appears whole or not at all.
#include <unistd.h>

#include "io/file.h"
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using OutputTest = FileTest;

const std::vector<std::string> every_suffix = {".png",    ".jpg",  ".tif",  ".bmp", ".nii",
                                               ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd"};

TEST_F(OutputTest, ExistingFilesAreReplacedUnlessAskedNotTo) {
    const auto image = pattern<std::uint8_t>({5, 5});
    for (const std::string& suffix : every_suffix) {
        SCOPED_TRACE(suffix);
        const fs::path path = file("a" + suffix);
        write_bytes(path, {'o', 'l', 'd'});
        expect_error(ErrorCode::invalid_argument, {path.string(), "exists"},
                     [&] { write_image(image, path, {.overwrite = false}); });
        EXPECT_EQ(read_bytes(path), (Bytes{'o', 'l', 'd'}));
        write_image(image, path);
        EXPECT_EQ(shape_of(read_image(path).image), image.shape());
    }
}

TEST_F(OutputTest, NothingIsLeftWhenTheDiskIsFull) {
    const QuietScope quiet;
    const auto image = pattern<std::uint8_t>({300, 200});
    for (const std::string& suffix : every_suffix)
        for (const rlim_t limit : {0, 100, 5000}) {
            SCOPED_TRACE(suffix + " " + std::to_string(limit));
            const fs::path path = file("a" + suffix);
            {
                const FileSizeLimit full(limit);
                expect_error(ErrorCode::unwritable_output,
                             {"cannot write", path.string(), "File too large"},
                             [&] { write_image(image, path); });
            }
            EXPECT_TRUE(names().empty());
        }
}

TEST_F(OutputTest, TheOldFileStaysWhenTheDiskIsFull) {
    const auto image = pattern<std::uint8_t>({300, 200});
    for (const std::string& suffix : every_suffix) {
        const fs::path path = file("a" + suffix);
        write_bytes(path, {'o', 'l', 'd'});
        {
            const FileSizeLimit full(5000);
            expect_error(ErrorCode::unwritable_output, {}, [&] { write_image(image, path); });
        }
        EXPECT_EQ(names(), std::vector<std::string>{"a" + suffix});
        EXPECT_EQ(read_bytes(path), (Bytes{'o', 'l', 'd'}));
        fs::remove(path);
    }
}

TEST_F(OutputTest, LabelsAndSideFileFailTogether) {
    LabelImage labels({300, 200});
    for (std::size_t i = 0; i < labels.pixels().size(); ++i)
        labels.pixels()[i] = static_cast<std::uint32_t>(i % 200 + 1);
    for (const std::string suffix : {".png", ".tif", ".nii.gz", ".mhd"}) {
        const FileSizeLimit full(4000);  // the packed map may fit, the side file of 200 does not
        expect_error(ErrorCode::unwritable_output, {},
                     [&] { write_labels(labels, file(std::string("a") + suffix)); });
        EXPECT_TRUE(names().empty());
    }
}

TEST_F(OutputTest, ImpossibleTargets) {
    const auto image = pattern<std::uint8_t>({5, 5});
    expect_error(ErrorCode::unwritable_output, {"none/a.png", "no folder"},
                 [&] { write_image(image, file("none/a.png")); });
    fs::create_directory(file("folder.png"));
    expect_error(ErrorCode::unwritable_output, {"folder.png", "folder"},
                 [&] { write_image(image, file("folder.png")); });
    expect_error(ErrorCode::unsupported_format, {"a.xyz", ".nii.gz"},
                 [&] { write_image(image, file("a.xyz")); });
    expect_error(ErrorCode::unsupported_format, {"png"}, [&] { write_image(image, file("png")); });
    expect_error(ErrorCode::unwritable_output, {"percent"},
                 [&] { write_image(image, file("a%d.mhd")); });
    if (geteuid() == 0) {
        std::puts("not tried as root: a folder without write permission");
        return;
    }
    fs::create_directory(file("locked"));
    fs::permissions(file("locked"), fs::perms::owner_read | fs::perms::owner_exec);
    expect_error(ErrorCode::unwritable_output, {"a.png", "Permission"},
                 [&] { write_image(image, file("locked/a.png")); });
}

TEST_F(OutputTest, RelativeNames) {
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    write_image(pattern<std::uint8_t>({5, 5}), "a.png");
    write_image(pattern<std::uint8_t>({5, 5}), "a.mhd");
    EXPECT_EQ(shape_of(read_image("a.png").image), (Shape{5, 5}));
    EXPECT_EQ(shape_of(read_image("a.mhd").image), (Shape{5, 5}));
    fs::current_path(before);
}

TEST_F(OutputTest, StagingBringsBackWhatItReplaced) {
    write_bytes(file("one"), {1});
    write_bytes(file("two"), {2});
    {
        Staging staging({file("one"), file("two")}, true);
        write_bytes(staging.staged(0), {10});
        // The second file was never made, so the second step fails.
        expect_error(ErrorCode::unwritable_output, {"two"}, [&] { staging.commit(); });
    }
    EXPECT_EQ(read_bytes(file("one")), Bytes{1});
    EXPECT_EQ(read_bytes(file("two")), Bytes{2});
    EXPECT_EQ(names(), (std::vector<std::string>{"one", "two"}));
    {
        Staging staging({file("new"), file("two")}, true);
        write_bytes(staging.staged(0), {10});
        expect_error(ErrorCode::unwritable_output, {"two"}, [&] { staging.commit(); });
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace tesela::io::testing
