// Runs the built program and looks at what it leaves behind.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tesela/image.h"
#include "tesela/io.h"

namespace tesela::cli::testing {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct RunOptions {
    double interrupt_after = -1;                // seconds; negative: never
    std::function<bool()> interrupt_when = {};  // or as soon as this is true
    int interrupts = 1;                         // how many times, 50 ms apart
    int signal = SIGINT;                        // what an interrupt is
    std::int64_t largest_file = -1;             // bytes, as `ulimit -f` sets it; negative: no limit
    std::int64_t address_space = -1;            // bytes, as `ulimit -v` sets it; negative: no limit
    std::map<std::string, std::string> environment = {};  // in place of or beside the test's own
};
struct Outcome {
    int code = -1;        // exit code, or 128 + the number of the signal that ended the program
    bool killed = false;  // by a signal
    double seconds = 0;
    double after_interrupt = 0;   // seconds from the last interrupt to the end
    std::int64_t peak_bytes = 0;  // the most memory that the program held
    std::string out, err;

    Json json() const { return Json::parse(out); }
    // The lines on stderr that report an error.
    std::vector<std::string> errors() const;
};

// A folder for each test, which the program runs in; it is gone after the test.
class ProgramTest : public ::testing::Test {
  protected:
    ProgramTest();
    ~ProgramTest() override;

    Outcome run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const;
    // Runs the program and expects this exit code, an empty stdout, exactly one error line that has
    // each of these words, and no new file in the folder.
    void expect_failure(int code, const std::vector<std::string>& words,
                        const std::vector<std::string>& arguments,
                        const RunOptions& options = {}) const;

    fs::path file(const std::string& name) const { return folder / name; }
    void write(const std::string& name, const AnyImage& image) const {
        io::write_image(image, file(name), {true});
    }
    void write_text(const std::string& name, const std::string& text) const;
    std::string read_text(const std::string& name) const;
    // The names of everything below the folder, hidden ones too, sorted.
    std::vector<std::string> names() const;

    fs::path folder;

  private:
    fs::path outside_;  // for what the program prints
};

// A few flat regions with a little noise, from a fixed seed.
Image<std::uint8_t> color_picture(std::int64_t width, std::int64_t height);
Image<std::uint8_t> gray_picture(std::int64_t width, std::int64_t height);
Image<std::int16_t> volume(std::int64_t x, std::int64_t y, std::int64_t z,
                           const Geometry& geometry = {});

}  // namespace tesela::cli::testing
