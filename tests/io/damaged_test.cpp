// Bad input of every kind: one clear error, nothing printed, no crash.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

class DamagedTest : public FileTest {
  protected:
    std::vector<std::pair<std::string, Bytes>> all_samples() const {
        auto samples = sample_files(folder);
        for (const auto& sample : sample_header_files(folder)) samples.push_back(sample);
        return samples;
    }
    // Reads, and passes only success or an error of ours in one line that names the file.
    bool reads(const fs::path& path) {
        try {
            read_image(path, {.max_bytes = 1 << 26});
            return true;
        } catch (const Error& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find(path.filename().string()), std::string::npos) << text;
            EXPECT_EQ(text.find('\n'), std::string::npos) << text;
            return false;
        }
    }
};

TEST_F(DamagedTest, MissingEmptyAndWrongKinds) {
    expect_error(ErrorCode::unreadable_input, {"none.png", "No such file"},
                 [&] { read_image(file("none.png")); });
    for (const std::string name : {"a.png", "a.jpg", "a.tif", "a.nii.gz", "a.nrrd", "a.dcm"}) {
        write_bytes(file(name), {});
        expect_error(ErrorCode::unreadable_input, {name, "empty"}, [&] { read_image(file(name)); });
    }
    write_bytes(file("text.png"), {'h', 'e', 'l', 'l', 'o'});
    expect_error(ErrorCode::unsupported_format, {"text.png", "PNG, JPEG"},
                 [&] { read_image(file("text.png")); });
    write_bytes(file("a.pdf"), {'%', 'P', 'D', 'F', '-', '1', '.', '4'});
    expect_error(ErrorCode::unsupported_format, {"a PDF"}, [&] { read_image(file("a.pdf")); });
    mkfifo(file("pipe").c_str(), 0600);
    expect_error(ErrorCode::unreadable_input, {"pipe", "not a regular file"},
                 [&] { read_image(file("pipe")); });
    if (geteuid() == 0) {
        std::puts("not tried as root: a file without read permission");
        return;
    }
    write_bytes(file("locked.png"), {1, 2, 3});
    fs::permissions(file("locked.png"), fs::perms::none);
    expect_error(ErrorCode::unreadable_input, {"locked.png", "Permission"},
                 [&] { read_image(file("locked.png")); });
}

TEST_F(DamagedTest, SamplesAreValid) {
    const QuietScope quiet;
    for (const auto& [name, bytes] : all_samples()) {
        write_bytes(file(name), bytes);
        EXPECT_TRUE(reads(file(name))) << name;
    }
}

TEST_F(DamagedTest, TruncationIsAlwaysAnError) {
    const QuietScope quiet;
    for (const auto& [name, bytes] : sample_files(folder)) {
        SCOPED_TRACE(name);
        const std::size_t step = std::max<std::size_t>(1, bytes.size() / 150);
        for (std::size_t length = 1; length < bytes.size(); length += step) {
            write_bytes(file(name),
                        Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
            EXPECT_FALSE(reads(file(name))) << length << " of " << bytes.size() << " bytes";
        }
        write_bytes(file(name), Bytes(bytes.begin(), bytes.end() - 1));
        EXPECT_FALSE(reads(file(name))) << "without the last byte";
    }
}

TEST_F(DamagedTest, MutationsReadOrFailCleanly) {
    const QuietScope quiet;
    const char* asked = std::getenv("TESELA_MUTATION_ROUNDS");  // more for a long search
    const int rounds = asked ? std::atoi(asked) : 400;
    std::mt19937 random(static_cast<unsigned>(20240607 + rounds));
    for (const auto& [name, bytes] : all_samples()) {
        SCOPED_TRACE(name);
        for (int round = 0; round < rounds; ++round) {
            Bytes mutant = bytes;
            const unsigned changes = 1 + random() % 4;
            for (unsigned i = 0; i < changes; ++i) {
                // Headers lie in front: half of all changes go there.
                const std::size_t reach =
                    random() % 2 ? std::min<std::size_t>(mutant.size(), 400) : mutant.size();
                std::uint8_t& byte = mutant[random() % reach];
                switch (random() % 4) {
                    case 0:
                        byte = static_cast<std::uint8_t>(random());
                        break;
                    case 1:
                        byte ^= static_cast<std::uint8_t>(1u << random() % 8);
                        break;
                    case 2:
                        byte = 0xff;
                        break;
                    default:
                        byte = 0;
                        break;
                }
            }
            write_bytes(file(name), mutant);
            reads(file(name));
        }
    }
}

TEST_F(DamagedTest, RandomBytesBehindEveryMark) {
    const QuietScope quiet;
    std::mt19937 random(7);
    for (const auto& [name, bytes] : sample_files(folder)) {
        SCOPED_TRACE(name);
        const std::size_t mark = name == "slice.dcm" ? 132 : name == "short.nii" ? 348 : 12;
        for (int round = 0; round < 50; ++round) {
            Bytes mutant(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(mark));
            for (int i = 0; i < 600; ++i) mutant.push_back(static_cast<std::uint8_t>(random()));
            write_bytes(file(name), mutant);
            reads(file(name));
        }
    }
}

TEST_F(DamagedTest, LimitOnMemory) {
    write_image(pattern<float>({100, 100}), file("a.tif"));
    try {
        read_image(file("a.tif"), {.max_bytes = 39999});
        FAIL() << "no error was thrown";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.bytes_needed(), 40000);
        EXPECT_EQ(error.bytes_free(), 39999);
    }
    EXPECT_NO_THROW(read_image(file("a.tif"), {.max_bytes = 40000}));
}

}  // namespace
}  // namespace tesela::io::testing
