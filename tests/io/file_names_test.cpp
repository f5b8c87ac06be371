// Which files are read and written, and names of any bytes.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using FileNamesTest = FileTest;
using Paths = std::vector<fs::path>;

TEST_F(FileNamesTest, FilesWritten) {
    for (const std::string name : {"a.png", "a.nii.gz", "a.nrrd", "a.mha", "a.csv", "a"})
        EXPECT_EQ(files_written("x/" + name), Paths{"x/" + name});
    EXPECT_EQ(files_written("x/a.b.nhdr"), (Paths{"x/a.b.nhdr", "x/a.b.raw"}));
    EXPECT_EQ(files_written("A.MHD"), (Paths{"A.MHD", "A.raw"}));
    const auto image = pattern<std::uint8_t>({5, 4, 3});
    for (const std::string name : {"a.png", "a.nii", "b.nrrd", "c.nhdr", "d.mha", "e.mhd"}) {
        if (name != "a.png") write_image(image, file(name));
        for (const fs::path& made : files_written(file(name)))
            EXPECT_EQ(fs::exists(made), name != "a.png") << made;
    }
}

TEST_F(FileNamesTest, FilesReadAreThoseOfTheHeader) {
    const auto image = pattern<std::uint8_t>({5, 4, 3});
    for (const std::string name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha"}) {
        write_image(image, file(name));
        for (const fs::path& read : files_read(file(name))) EXPECT_EQ(read, file(name));
    }
    for (const std::string name : {"b.nhdr", "c.mhd"}) {
        write_image(image, file(name));
        EXPECT_EQ(files_read(file(name)), files_written(file(name)));
        // Without the data the header is read no further, and still tells.
        fs::remove(files_written(file(name))[1]);
        EXPECT_EQ(files_read(file(name)), files_written(file(name)));
    }
    const std::string header = "NRRD0004\ntype: block\ndata file: far/p.img\n";
    write_bytes(file("d.nhdr"), Bytes(header.begin(), header.end()));
    EXPECT_EQ(files_read(file("d.nhdr")), (Paths{file("d.nhdr"), file("far/p.img")}));
}

TEST_F(FileNamesTest, FilesReadOfFoldersAndOfWhatCannotBeRead) {
    fs::create_directories(file("series/more"));
    for (const char* name : {"series/2", "series/1", "series/more/3"})
        write_bytes(file(name), dicom_bytes({}));
    write_bytes(file("series/notes"), Bytes(500, 'x'));
    EXPECT_EQ(files_read(file("series")), (Paths{file("series/1"), file("series/2")}));

    EXPECT_EQ(files_read(file("missing.mhd")), Paths{file("missing.mhd")});
    write_bytes(file("empty.mhd"), {});
    EXPECT_EQ(files_read(file("empty.mhd")), Paths{file("empty.mhd")});
    const std::string header = "ObjectType = Image\nNDims = \x01";
    write_bytes(file("bad.mhd"), Bytes(header.begin(), header.end()));
    EXPECT_EQ(files_read(file("bad.mhd")), Paths{file("bad.mhd")});
}

TEST_F(FileNamesTest, AnyBytes) {
    const auto image = pattern<std::uint8_t>({5, 4});
    for (const std::string suffix : {".png", ".tif", ".bmp", ".nii", ".nii.gz", ".nrrd", ".nhdr",
                                     ".mha", ".mhd", ".npy", ".npz"}) {
        SCOPED_TRACE(suffix);
        write_image(image, file("caf\xe9" + suffix));
        expect_same_pixels(read_image(file("caf\xe9" + suffix)).image, image);
        const auto write = [&] { write_image(image, file("a\tb" + suffix)); };
        if (files_written("a" + suffix).size() > 1)
            expect_error(ErrorCode::unwritable_output, {"control character"}, write);
        else
            write();
    }
    EXPECT_FALSE(fs::exists(file("a\tb.raw")));
}

}  // namespace
}  // namespace tesela::io::testing
