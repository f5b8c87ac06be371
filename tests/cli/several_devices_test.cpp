// Lists of devices: verbs over several inputs, sequences and slides share their work.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "compute/devices.h"
#include "program.h"
#include "shared_work.h"
#include "tesela/error.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

// ---- Pieces ------------------------------------------------------------------------------------

std::string text_of(const std::exception_ptr& error) {
    if (!error) return "";
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
}

TEST(SharedWork, IsDoneOnceAndToldInOrder) {
    const std::vector<Device> devices = tesela::testing::test_devices();
    for (const std::int64_t count : {0, 1, 40}) {  // also fewer pieces than devices
        std::vector<std::atomic<int>> worked(static_cast<std::size_t>(count));
        std::vector<std::int64_t> told;
        const auto loads = share_work(
            devices, count,
            [&](std::int64_t piece, const Device&) {
                // The first ones take longest, so that later ones overtake them.
                std::this_thread::sleep_for(std::chrono::milliseconds(piece < 3 ? 20 : 1));
                ++worked[static_cast<std::size_t>(piece)];
                if (piece % 10 == 7) throw InvalidArgument("piece " + std::to_string(piece));
            },
            [&](std::int64_t piece, const std::exception_ptr& error) {
                told.push_back(piece);
                EXPECT_EQ(text_of(error), piece % 10 == 7 ? "piece " + std::to_string(piece) : "");
            });
        for (const auto& times : worked) EXPECT_EQ(times, 1);
        EXPECT_EQ(told.size(), static_cast<std::size_t>(count));
        EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
        std::int64_t done = 0;
        for (const DeviceLoad& load : loads) done += load.done;
        EXPECT_EQ(done, count - (count + 2) / 10);
        EXPECT_EQ(loads.size(), devices.size());
    }
}

// What a device had when it failed is done by the others; the last one reports its failures.
TEST(SharedWork, OthersTakeOverFromADeviceThatFails) {
    const std::vector<Device> devices = tesela::testing::test_devices();
    const Device failing = devices.back();
    std::atomic<int> failures = 0;
    int errors = 0;
    const auto loads = share_work(
        devices, 30,
        [&](std::int64_t, const Device& device) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (!(device == failing)) return;
            ++failures;
            throw DeviceUnavailable("it fell off the bus");
        },
        [&](std::int64_t, const std::exception_ptr& error) {
            if (!error) return;
            ++errors;
            EXPECT_NE(text_of(error).find("it fell off the bus"), std::string::npos);
        });
    EXPECT_GE(failures, 1);
    EXPECT_EQ(errors, devices.size() > 1 ? 0 : 30);
    EXPECT_EQ(loads.back().done, 0);
}

TEST(SharedWork, MemoryThatRanOutNamesTheDevice) {
    const std::vector<Device> devices = tesela::testing::test_devices();
    std::set<std::string> texts;
    share_work(
        devices, 30,
        [&](std::int64_t, const Device&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            throw OutOfMemory("too large", 2, 1);
        },
        [&](std::int64_t, const std::exception_ptr& error) { texts.insert(text_of(error)); });
    for (const Device& device : devices)
        EXPECT_TRUE(texts.contains((devices.size() > 1 ? device.id() + ": " : "") + "too large"));
}

// ---- Verbs -------------------------------------------------------------------------------------

class SeveralDevices : public ProgramTest {
  protected:
    SeveralDevices() {
        for (const Device& device : tesela::testing::test_devices())
            all_ += (all_.empty() ? "" : ",") + device.id();
        if (all_.find(',') == all_.npos) all_ += ":all";  // a list of one
        fs::create_directory(file("in"));
        fs::create_directory(file("out"));
        for (int i = 0; i < 7; ++i)
            write("in/p" + std::to_string(i) + ".png", gray_picture(40 + i, 30));
    }
    Outcome done(const Names& arguments) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    // The parts sum up to all.
    static void expect_shares(const Json& shared, std::int64_t all) {
        std::int64_t done_by_all = 0;
        double percent = 0;
        for (const Json& device : shared["devices"]) {
            done_by_all += device["done"].get<std::int64_t>();
            percent += device["percent"].get<double>();
            EXPECT_GE(device["busy_seconds"], 0);
            EXPECT_GE(device["waited_seconds"], 0);
        }
        EXPECT_EQ(done_by_all, all);
        EXPECT_NEAR(percent, 100, 1e-9);
        EXPECT_GE(shared["imbalance"], 1);
    }

    std::string all_;  // the devices of this machine
};

TEST_F(SeveralDevices, InputsAreSharedAndToldInOrder) {
    const Json report = done({"threshold", "otsu", "in", "--each", "-o", "out/{stem}.png", "--json",
                              "--device", all_})
                            .json();
    done({"threshold", "otsu", "in", "--each", "-o", "{stem}-alone.png", "--device", "cpu"});
    ASSERT_EQ(report["results"].size(), 7u);
    for (int i = 0; i < 7; ++i) {
        const std::string name = "p" + std::to_string(i);
        EXPECT_EQ(report["results"][static_cast<std::size_t>(i)]["input"]["path"],
                  "in/" + name + ".png");
        EXPECT_EQ(read_text("out/" + name + ".png"), read_text(name + "-alone.png"));
    }
    expect_shares(report["shared"], 7);
    // Tables are joined in the same order, messages too.
    const Outcome shared =
        done({"components", "in", "--each", "--table", "-", "--device", all_, "-v"});
    EXPECT_EQ(shared.out, done({"components", "in", "--each", "--table", "-"}).out);
    std::size_t at = 0;
    for (int i = 0; i < 7; ++i) {
        const std::size_t next = shared.err.find("read in/p" + std::to_string(i), at);
        ASSERT_NE(next, std::string::npos) << shared.err;
        at = next;
    }
    EXPECT_NE(shared.err.find("imbalance"), std::string::npos);
}

TEST_F(SeveralDevices, OneBadInputIsPassedOver) {
    write_text("in/p3.png", "no picture");
    const Outcome outcome = run(
        {"threshold", "otsu", "in", "--each", "-o", "out/{stem}.png", "--device", all_, "--json"});
    EXPECT_EQ(outcome.code, 6);
    ASSERT_EQ(outcome.errors().size(), 1u) << outcome.err;
    EXPECT_NE(outcome.errors().front().find("in/p3.png"), std::string::npos);
    EXPECT_TRUE(outcome.json()["results"][3].contains("error"));
    EXPECT_FALSE(outcome.json()["results"][4].contains("error"));
}

TEST_F(SeveralDevices, ASequenceIsSharedAndInOrder) {
    fs::remove_all(file("in"));
    fs::create_directory(file("in"));
    for (int i = 0; i < 6; ++i) write("in/f" + std::to_string(i) + ".png", gray_picture(33, 25));
    const Json report =
        done({"flow", "lucas-kanade", "in", "-o", "fields", "--json", "--device", all_}).json();
    expect_shares(report["shared"], 5);
    EXPECT_EQ(report["fields"], 5);
    const Json plan =
        done({"flow", "lucas-kanade", "in", "-o", "f", "--json", "--device", all_, "--dry-run"})
            .json();
    EXPECT_TRUE(plan["host_bytes"]["fits"]);
}

TEST_F(SeveralDevices, SlidesAreSharedWithTheSameLabels) {
    done({"synthesize", "slide", "-o", "one.ome.tif", "--annotations", "one.geojson", "--width",
          "2048", "--height", "1536"});
    done({"tissue", "train", "one.ome.tif", "--annotations", "one.geojson", "-o", "tissue.model",
          "--tile", "64um", "--features", "color,lbp-8-1", "--classifier", "lda"});
    const Names call{"tissue", "classify", "one.ome.tif", "--model", "tissue.model", "--json"};
    const auto with = [&](const Names& more) {
        Names arguments = call;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return done(arguments).json();
    };
    const Json alone = with({"-o", "alone.png", "--table", "alone.csv", "--device", "cpu"});
    const Json shared = with({"-o", "shared.png", "--table", "shared.csv", "--device", all_});
    EXPECT_EQ(read_text("alone.png"), read_text("shared.png"));
    EXPECT_EQ(read_text("alone.csv"), read_text("shared.csv"));
    std::int64_t tiles = 0;
    for (const Json& one : shared["classes"]) tiles += one["tiles"].get<std::int64_t>();
    expect_shares(shared["shared"], tiles);
    EXPECT_EQ(alone["shared"]["devices"].size(), 1u);
}

// A job that one device does takes the first of the list, and says so.
TEST_F(SeveralDevices, OneInputTakesTheFirstDevice) {
    const Outcome outcome =
        done({"threshold", "otsu", "in/p0.png", "-o", "m.png", "--device", all_, "--json"});
    EXPECT_EQ(outcome.json()["device"]["id"], tesela::testing::test_devices().front().id());
    EXPECT_EQ(outcome.err.find("the others are not needed") != std::string::npos,
              tesela::testing::test_devices().size() > 1);
}

TEST_F(SeveralDevices, BadListsAreRefused) {
    const auto refused = [&](int code, const Names& words, const std::string& list) {
        for (const Names& call :
             {Names{"threshold", "otsu", "in", "--each", "-o", "out/{stem}.png"},
              Names{"threshold", "otsu", "in/p0.png", "-o", "m.png"},
              Names{"flow", "lucas-kanade", "in", "-o", "fields"}}) {
            Names arguments = call;
            arguments.insert(arguments.end(), {"--device", list});
            expect_failure(code, words, arguments);
        }
    };
    refused(2, {"'gpu' is not a device"}, "cpu,gpu");
    refused(2, {"'' is not a device"}, "cpu,");
    refused(2, {"'cpu,cpu'", "has cpu twice"}, "cpu,cpu");
    refused(4, {"'opencl:99' is not there"}, "cpu,opencl:99");
}

}  // namespace
}  // namespace tesela::cli::testing
