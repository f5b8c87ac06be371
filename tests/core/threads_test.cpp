#include "core/threads.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tesela/warnings.h"

namespace tesela {
namespace {

TEST(Threads, AreTriedAndLeaveNone) {
    const auto running = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    const auto before = running();
    EXPECT_EQ(detail::startable_threads(20), 20);
    EXPECT_EQ(running(), before);
    EXPECT_EQ(detail::startable_threads(0), 0);
}

TEST(Threads, RunTheirWork) {
    int result = 0;
    detail::start_thread([&] { result = 42; }).join();
    EXPECT_EQ(result, 42);
}

TEST(Warnings, ComeOnceEach) {
    std::vector<std::string> said;
    detail::warn_once("to nobody");
    set_warning_handler([&](const std::string& sentence) { said.push_back(sentence); });
    for (const char* sentence : {"one", "two", "one", "to nobody"}) detail::warn_once(sentence);
    set_warning_handler({});
    detail::warn_once("three");
    EXPECT_EQ(said, (std::vector<std::string>{"one", "two", "to nobody"}));
}

}  // namespace
}  // namespace tesela
