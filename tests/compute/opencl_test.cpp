// What only the OpenCL back end has: the loader, the compiler's errors, the cache of binaries,
// groups of item kernels and pinned transfers.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "compute/back_ends.h"
#include "compute/opencl/build_log.h"
#include "compute/opencl/device.h"
#include "compute/opencl/program.h"
#include "compute/opencl/queue.h"
#include "compute/opencl/staging.h"
#include "devices.h"
#include "tesela/compute/queue.h"
#include "tesela/warnings.h"

namespace {

namespace fs = std::filesystem;
namespace opencl = tesela::detail::opencl;
using tesela::Device;
using tesela::detail::KernelCode;
using tesela::detail::KernelText;
using tesela::detail::OpenClDevice;

class Environment {
  public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~Environment() {
        if (old_)
            setenv(name_, old_->c_str(), 1);
        else
            unsetenv(name_);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* name_;
    std::optional<std::string> old_;
};

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "tesela-cache-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    return files;
}

TEST(OpenClDiscovery, AbsentLoaderIsARejectionWithAdvice) {
    const auto found = tesela::detail::discover_opencl_through("libNoSuchOpenCL.so.1");
    EXPECT_TRUE(found.devices.empty());
    ASSERT_EQ(found.rejected.size(), 1u);
    EXPECT_NE(found.rejected[0].what.find("libNoSuchOpenCL.so.1"), std::string::npos);
    EXPECT_NE(found.rejected[0].why.find("install"), std::string::npos) << found.rejected[0].why;
}

TEST(OpenClDiscovery, LibraryWithoutOpenClIsARejection) {
    const auto found = tesela::detail::discover_opencl_through("libm.so.6");
    EXPECT_TRUE(found.devices.empty());
    ASSERT_EQ(found.rejected.size(), 1u);
    EXPECT_NE(found.rejected[0].why.find("clGetPlatformIDs"), std::string::npos);
}

// In a process of its own, because a loader reads the list of platforms once. A loader that does
// not know the variable still finds its platforms.
TEST(OpenClDiscovery, NoPlatformIsARejectionWithAdvice) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const Environment none("OCL_ICD_VENDORS", "/nonexistent");
    const auto look = [] {
        const auto found = tesela::detail::discover_opencl();
        const bool told = found.rejected.size() == 1 &&
                          found.rejected[0].why.find("install") != std::string::npos;
        std::exit(told || !found.devices.empty() ? 0 : 1);
    };
    EXPECT_EXIT(look(), ::testing::ExitedWithCode(0), "");
}

bool has_pocl() {
    for (const Device& device : Device::all())
        if (device.properties().driver.starts_with("Portable Computing Language")) return true;
    return false;
}

// PoCL is there once more in a process of its own, which sees other surroundings.
TEST(OpenClDiscovery, PoclWorksWithoutAFolderForItsCache) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const bool expected = has_pocl();
    const Environment home("HOME", "/proc/none"), base("XDG_CACHE_HOME", "/proc/none"),
        cache("POCL_CACHE_DIR", "/proc/none");
    EXPECT_EXIT(std::exit(has_pocl() ? 0 : 1), ::testing::ExitedWithCode(expected ? 0 : 1), "");
}

// It would end the process with the first kernel that it builds.
TEST(OpenClDiscovery, PoclWithoutALinkerIsARejectionWithAdvice) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const bool expected = has_pocl();
    const Environment path("PATH", "/nonexistent");
    const auto look = [] {
        bool told = false;
        for (const auto& rejected : tesela::detail::discover_opencl().rejected)
            told = told || rejected.why.find("'ld'") != std::string::npos;
        std::exit(told && !has_pocl() ? 0 : 1);
    };
    EXPECT_EXIT(look(), ::testing::ExitedWithCode(expected ? 0 : 1), "");
}

TEST(OpenClDiscovery, GpusComeFirst) {
    bool seen_other = false;
    for (const Device& device : Device::all()) {
        if (device.back_end() != tesela::BackEnd::opencl) continue;
        EXPECT_FALSE(seen_other && device.properties().is_gpu);
        seen_other = seen_other || !device.properties().is_gpu;
    }
}

TEST(OpenClGroups, AreAlongXAndWithinTheLimits) {
    using Size = std::array<std::int64_t, 3>;
    using Group = std::array<std::size_t, 3>;
    const Size axes{1024, 1024, 64};
    const auto group = [&](const Size& size, std::size_t largest = 1024) {
        return tesela::detail::item_group(size, largest, axes);
    };
    EXPECT_EQ(group({100000, 1, 1}), (Group{256, 1, 1}));
    EXPECT_EQ(group({1000, 1000, 1}), (Group{64, 4, 1}));
    EXPECT_EQ(group({1000, 1000, 100}), (Group{32, 4, 2}));
    EXPECT_EQ(group({3, 1000, 1}), (Group{4, 64, 1}));
    EXPECT_EQ(group({1, 1, 1000}), (Group{1, 1, 64}));
    EXPECT_EQ(group({1, 1, 1}), (Group{1, 1, 1}));
    EXPECT_EQ(group({1000, 1000, 1}, 100), (Group{64, 1, 1}));
    EXPECT_EQ(group({2147483647, 1, 1}), (Group{256, 1, 1}));
}

class OpenCl : public ::testing::TestWithParam<Device> {
  protected:
    const OpenClDevice& device() const {
        return static_cast<const OpenClDevice&>(GetParam().backend());
    }
    // Launches a kernel of `source` that sets one number, on a new queue. Device and queue know
    // texts and kernels by their addresses, so those live on.
    static std::int32_t run(const char* source, const char* file = "good.kernel.h") {
        static std::deque<KernelText> texts;
        static std::deque<KernelCode> codes;
        const KernelText& text = texts.emplace_back(KernelText{file, source, false});
        KernelCode& code = codes.emplace_back();
        code.name = "set_number";
        code.opencl = &text;
        const tesela::ItemKernel<void(std::int32_t*)> kernel{&code};
        tesela::Queue queue(GetParam());
        auto number = queue.allocate<std::int32_t>(1, "number");
        queue.launch(kernel, tesela::Range{1}, number);
        return queue.download(number)[0];
    }
};

constexpr const char* good_text =
    "__kernel void set_number(int x, int y, int z, __global int* number) { number[0] = 42; }\n";

TEST_P(OpenCl, BrokenKernelGivesFileLineAndLog) {
    try {
        run("#line 7 \"src/kernels/broken.kernel.h\"\n"
            "__kernel void set_number(__global int* number) { number[0] = wrong; }\n",
            "src/kernels/broken.kernel.h");
        FAIL() << "a broken kernel was built";
    } catch (const tesela::DeviceUnavailable& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("src/kernels/broken.kernel.h:7"), std::string::npos) << what;
        EXPECT_NE(what.find("wrong"), std::string::npos) << what;
        EXPECT_NE(what.find(GetParam().id()), std::string::npos) << what;
    }
}

TEST(OpenClBuildLog, PlacesComeFromTheMarkers) {
    const std::string text =
        "int before;\n# 12 \"src/kernels/a.kernel.h\" 2\nline 12\nline 13\n#line 7 \"b.h\"\nline "
        "7\n";
    const auto places = [&](const std::string& log) {
        return tesela::detail::with_source_places(log, text);
    };
    EXPECT_EQ(places("<kernel>:4:9: error: x\n<kernel>:6:1: note"),
              "src/kernels/a.kernel.h:13:9: error: x\nb.h:7:1: note");
    EXPECT_EQ(places("<kernel>:1:2: warning"), "<kernel>:1:2: warning");
    EXPECT_EQ(places("src/x.h:4: error"), "src/x.h:4: error");
}

TEST_P(OpenCl, MissingKernelIsAnError) {
    EXPECT_THROW(run("__kernel void other(void) {}\n"), tesela::DeviceUnavailable);
}

TEST_P(OpenCl, BinaryIsCachedAndUsedAgain) {
    const Folder folder;
    const Environment cache("TESELA_CACHE_DIR", (folder.path() / "made").string());
    EXPECT_EQ(run(good_text), 42);
    const auto files = files_in(folder.path() / "made");
    ASSERT_EQ(files.size(), 1u);
    const auto time = fs::last_write_time(files[0]);
    EXPECT_EQ(run(good_text), 42);
    EXPECT_EQ(files_in(folder.path() / "made"), files);
    EXPECT_EQ(fs::last_write_time(files[0]), time) << "it was built again";
}

TEST_P(OpenCl, DamagedEntriesAreBuiltAgain) {
    const Folder folder;
    const Environment cache("TESELA_CACHE_DIR", folder.path().string());
    ASSERT_EQ(run(good_text), 42);
    const fs::path entry = files_in(folder.path()).at(0);
    const auto bytes = fs::file_size(entry);

    fs::resize_file(entry, bytes / 2);
    EXPECT_EQ(run(good_text), 42);
    EXPECT_EQ(fs::file_size(entry), bytes);

    {
        std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(bytes) - 9);
        const auto old = static_cast<char>(file.get());
        file.seekp(static_cast<std::streamoff>(bytes) - 9);
        file.put(static_cast<char>(~old));
    }
    EXPECT_EQ(run(good_text), 42);

    fs::resize_file(entry, 0);
    EXPECT_EQ(run(good_text), 42);
    EXPECT_EQ(fs::file_size(entry), bytes);
}

// The driver refuses what the cache's own checks let pass.
TEST_P(OpenCl, ForeignBinaryIsBuiltAgain) {
    const Folder folder;
    const Environment cache("TESELA_CACHE_DIR", folder.path().string());
    const std::string key =
        device().compiler_identity() + '\n' + device().build_options() + '\n' + good_text;
    const fs::path entry = opencl::cache_entry(folder.path(), key);
    opencl::write_cached(entry, key, "no binary");
    ASSERT_TRUE(opencl::read_cached(entry, key).has_value());
    EXPECT_EQ(run(good_text), 42);
    EXPECT_NE(opencl::read_cached(entry, key), std::optional<std::string>("no binary"));
}

TEST_P(OpenCl, CacheCanBeOffAndUnwritable) {
    const Folder folder;
    std::ofstream(folder.path() / "file") << "a file where a folder should be";
    {
        const Environment off("TESELA_CACHE_DIR", "off");
        EXPECT_TRUE(opencl::cache_folder().empty());
        EXPECT_EQ(run(good_text), 42);
    }
    {
        const Environment empty("TESELA_CACHE_DIR", "");
        EXPECT_TRUE(opencl::cache_folder().empty());
        EXPECT_EQ(run(good_text), 42);
    }
    const Environment blocked("TESELA_CACHE_DIR", (folder.path() / "file" / "cache").string());
    EXPECT_EQ(run(good_text), 42);
    EXPECT_EQ(files_in(folder.path()).size(), 1u);
}

TEST_P(OpenCl, AnUnwritableCacheIsSaidOnce) {
    const Folder folder;
    std::ofstream(folder.path() / "file") << "a file where a folder should be";
    const fs::path cache = folder.path() / "file" / "cache";
    const Environment blocked("TESELA_CACHE_DIR", cache.string());
    std::vector<std::string> said;
    tesela::set_warning_handler([&](const std::string& sentence) { said.push_back(sentence); });
    EXPECT_EQ(run(good_text), 42);
    EXPECT_EQ(run((std::string(good_text) + "\n\n").c_str()), 42);
    tesela::set_warning_handler({});
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("'" + cache.string() + "'"), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("TESELA_CACHE_DIR"), std::string::npos) << said[0];
}

// A pipe would be waited for, for ever.
TEST(OpenClCache, OnlyRegularFilesAreEntries) {
    const Folder folder;
    const fs::path entry = folder.path() / "entry.bin", link = folder.path() / "link.bin";
    ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
    EXPECT_FALSE(opencl::read_cached(entry, "key").has_value());
    opencl::write_cached(entry, "key", "binary");
    EXPECT_EQ(opencl::read_cached(entry, "key"), std::optional<std::string>("binary"));
    fs::create_symlink(entry, link);
    EXPECT_FALSE(opencl::read_cached(link, "key").has_value());
}

TEST(OpenClCache, EntryOfAnotherKeyIsNotTaken) {
    const Folder folder;
    const fs::path entry = folder.path() / "entry.bin";
    opencl::write_cached(entry, "this key", "this binary");
    EXPECT_EQ(opencl::read_cached(entry, "this key"), std::optional<std::string>("this binary"));
    EXPECT_FALSE(opencl::read_cached(entry, "that key").has_value());
    EXPECT_FALSE(opencl::read_cached(entry, "a longer key").has_value());
    EXPECT_FALSE(opencl::read_cached(folder.path() / "none.bin", "this key").has_value());
    EXPECT_FALSE(opencl::read_cached(folder.path(), "this key").has_value());
    std::fstream(entry, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(-1, std::ios::end)
        .put('Y');
    EXPECT_FALSE(opencl::read_cached(entry, "this key").has_value()) << "damage was not seen";
    opencl::write_cached(entry, "that key", "that binary");
    EXPECT_EQ(opencl::read_cached(entry, "that key"), std::optional<std::string>("that binary"));
    EXPECT_EQ(files_in(folder.path()).size(), 1u) << "a temporary file was left";
}

TEST(OpenClCache, FolderFollowsTheEnvironment) {
    const char* chosen = std::getenv("TESELA_CACHE_DIR");
    const std::optional<std::string> before =
        chosen ? std::optional<std::string>(chosen) : std::nullopt;
    unsetenv("TESELA_CACHE_DIR");
    {
        const Environment home("HOME", "/home/somebody");
        const Environment relative("XDG_CACHE_HOME", "relative");
        EXPECT_EQ(opencl::cache_folder(), fs::path("/home/somebody/.cache/tesela"));
        const Environment absolute("XDG_CACHE_HOME", "/caches");
        EXPECT_EQ(opencl::cache_folder(), fs::path("/caches/tesela"));
    }
    if (before) setenv("TESELA_CACHE_DIR", before->c_str(), 1);
}

// Transfers in chunks of 4 MiB, by turns; CPU devices do not take this way by themselves.
TEST_P(OpenCl, PinnedTransfersBringEveryByte) {
    const auto& calls = opencl::cl();
    cl_int status = CL_SUCCESS;
    const opencl::CommandQueue queue(
        calls.clCreateCommandQueue(device().context(), device().id(), 0, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    tesela::detail::OpenClStaging staging(device(), queue.get());
    constexpr std::int64_t chunk = 4 << 20;
    for (const std::int64_t bytes : {std::int64_t{1}, chunk - 1, chunk, chunk + 1, 3 * chunk + 7}) {
        std::vector<unsigned char> sent(static_cast<std::size_t>(bytes)), received(sent.size());
        for (std::size_t i = 0; i < sent.size(); ++i)
            sent[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
        const opencl::Memory memory(calls.clCreateBuffer(device().context(), CL_MEM_READ_WRITE,
                                                         sent.size(), nullptr, &status));
        ASSERT_EQ(status, CL_SUCCESS);
        const std::vector<unsigned char> expected = sent;
        ASSERT_EQ(staging.copy_in(memory.get(), sent.data(), bytes), CL_SUCCESS);
        std::fill(sent.begin(), sent.end(), static_cast<unsigned char>(0));  // may be reused
        const std::int64_t middle = bytes / 2;  // two pieces of one transfer
        const tesela::detail::HostPiece pieces[] = {
            {received.data(), 0, middle}, {received.data() + middle, middle, bytes - middle}};
        ASSERT_EQ(staging.copy_out(memory.get(), pieces), CL_SUCCESS);
        EXPECT_TRUE(received == expected) << bytes;
    }
}

TEST_P(OpenCl, AllocationBeyondTheDeviceIsRefused) {
    tesela::Queue queue(GetParam());
    EXPECT_THROW(queue.allocate<std::uint8_t>(device().largest_allocation() + 1, "too much"),
                 tesela::OutOfMemory);
    // The queue works on.
    EXPECT_EQ(queue.download(queue.allocate_filled<std::int32_t>(3, 5, "little")),
              (std::vector<std::int32_t>{5, 5, 5}));
}

std::vector<Device> opencl_devices() {
    std::vector<Device> chosen;
    for (const Device& device : tesela::testing::test_devices())
        if (device.back_end() == tesela::BackEnd::opencl) chosen.push_back(device);
    return chosen;
}
INSTANTIATE_TEST_SUITE_P(Devices, OpenCl, ::testing::ValuesIn(opencl_devices()),
                         tesela::testing::device_test_name);
// Machines without OpenCL; the loader's tests above run there.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpenCl);

}  // namespace
