// Modules that are missing, of another version, or none.
#include "io/module.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tesela::io::testing {
namespace {

const fs::path other_module = TESELA_OTHER_MODULE;

ModuleKind kind_of_version(std::uint32_t version) {
    return {"other", "The other library", "libother5", "tesela-other", version};
}

// One sentence without a line break, which has all the words.
void expect_problem(const LoadedModule& module, const std::vector<std::string>& words) {
    EXPECT_EQ(module.table, nullptr);
    EXPECT_EQ(module.problem.find('\n'), std::string::npos) << module.problem;
    for (const std::string& word : words)
        EXPECT_NE(module.problem.find(word), std::string::npos) << module.problem << ": " << word;
}

TEST(Module, OfThisVersionGivesItsTable) {
    const LoadedModule module = load_module(other_module, kind_of_version(7));
    ASSERT_NE(module.table, nullptr) << module.problem;
    EXPECT_EQ(module.table->version, 7u);
}

TEST(Module, OfAnotherVersionIsRefused) {
    expect_problem(load_module(other_module, kind_of_version(8)),
                   {other_module.string(), "another version of Tesela (7 instead of 8)"});
}

TEST(Module, ThatIsMissingNamesThePackage) {
    expect_problem(find_module(kind_of_version(7)),
                   {"The other library", "tesela-other.so", "missing", "package is tesela-other",
                    "package libother5"});
}

TEST(Module, ThatCannotBeLoadedNamesThePackage) {
    const fs::path file = fs::path(::testing::TempDir()) / "tesela-other.so";
    std::ofstream(file) << "no library";
    expect_problem(load_module(file, kind_of_version(7)),
                   {"The other library", "could not be loaded", "package libother5"});
    fs::remove(file);
}

struct MissingTable {
    static constexpr ModuleKind kind{"missing", "The missing library", "libmissing1",
                                     "tesela-missing", 1};
};

TEST(Module, ThatAFileNeedsIsNamedWithTheFile) {
    try {
        require_module<MissingTable>("scan.missing");
        FAIL() << "a module that is not there was found";
    } catch (const UnsupportedFormat& error) {
        const std::string text = error.what();
        for (const char* word : {"cannot read 'scan.missing'", "package libmissing1"})
            EXPECT_NE(text.find(word), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace tesela::io::testing
