// tesela view
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

class ViewVerb : public cli::testing::ProgramTest {};

TEST_F(ViewVerb, PrintsItsAddressAndEndsOnCtrlC) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    const auto ended = run({"view", "photo.png", "--no-open"}, {.interrupt_after = 1.5});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(ended.out.starts_with("http://127.0.0.1:")) << ended.out;
    EXPECT_NE(ended.out.find("/#token="), std::string::npos);
    EXPECT_LT(ended.after_interrupt, 2);
    const auto json = run({"view", "photo.png", "--no-open", "--json", "--base-path", "/user/me/"},
                          {.interrupt_after = 1.5})
                          .json();
    EXPECT_EQ(json.at("token").get<std::string>().size(), 32u);
    EXPECT_EQ(json.at("address"), "http://127.0.0.1:" + json.at("port").dump() +
                                      "/user/me/#token=" + json.at("token").get<std::string>());
    EXPECT_EQ(names(), std::vector<std::string>{"photo.png"});
}

TEST_F(ViewVerb, SaysWhatIsWrongWithItsOptions) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    expect_failure(3, {"none.png"}, {"view", "none.png", "--no-open"});
    expect_failure(3, {"--labels", "none.png"},
                   {"view", "photo.png", "--no-open", "--labels", "none.png"});
    expect_failure(2, {"--port", "65536"}, {"view", "photo.png", "--no-open", "--port", "65536"});
    expect_failure(2, {"--base-path"}, {"view", "photo.png", "--no-open", "--base-path", "me"});
    expect_failure(1, {"--save-to", "nowhere"},
                   {"view", "photo.png", "--no-open", "--save-to", "nowhere"});
    expect_failure(4, {"cuda:77"}, {"view", "photo.png", "--no-open", "--device", "cuda:77"});
    const Running running(
        {.files = {file("photo.png")}, .device = "cpu", .describe = cli::description_of_verb});
    const std::string taken = std::to_string(running.viewer().port());
    expect_failure(2, {"--port", taken}, {"view", "photo.png", "--no-open", "--port", taken});
}

TEST_F(ViewVerb, BenchMeasuresWhatPagesAskFor) {
    const std::vector<std::string> small{"bench",         "view", "--size",    "48",
                                         "--repetitions", "2",    "--viewers", "3",
                                         "--requests",    "100",  "--device",  "cpu"};
    auto arguments = small;
    arguments.push_back("--json");
    const auto measured = run(arguments).json().at("measured");
    EXPECT_EQ(measured.size(), 11u);
    for (const auto& row : measured) {
        EXPECT_GT(row.at("value"), 0.0) << row;
        EXPECT_GT(row.at("measurements"), 0) << row;
    }
    const auto text = run(small);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("click to new labels"), std::string::npos) << text.out;
    expect_failure(3, {"none.nii"}, {"bench", "view", "none.nii"});
    expect_failure(2, {"--size"}, {"bench", "view", "--size", "5"});
    EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(ViewVerb, SoakTellsWhatTheServerHolds) {
    const auto soak = run({"bench", "view", "--size", "32", "--soak", "0.01", "--device", "cpu"});
    EXPECT_EQ(soak.code, 0) << soak.out << soak.err;
    for (const char* what : {"memory", "open files and sockets", "threads"})
        EXPECT_NE(soak.out.find(what), std::string::npos) << soak.out;
    for (const char* option : {"--repetitions", "--viewers", "--requests"})
        expect_failure(2, {option, "--soak"}, {"bench", "view", "--soak", "0.01", option, "7"});
    expect_failure(2, {"VOLUME", "--soak"}, {"bench", "view", "none.nii", "--soak", "0.01"});
}

TEST_F(ViewVerb, FoldersAreTheirImages) {
    fs::create_directory(file("scans"));
    write("scans/b.png", cli::testing::gray_picture(31, 17));
    write("scans/a.png", cli::testing::gray_picture(31, 17));
    write_text("scans/notes.txt", "notes");
    EXPECT_EQ(run({"view", "scans", "--no-open"}, {.interrupt_after = 1.5}).code, 0);
}

}  // namespace
}  // namespace tesela::viewer::testing
