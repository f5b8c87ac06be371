// The pages of docs/tasks: their commands run as they stand there, and give what the pages say.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

// Where the sources are, the truth of coins tells.
const fs::path pages = fs::path(TESELA_COINS_TRUTH).parent_path() / "../../docs/tasks";

class TaskPages : public ProgramTest {
  protected:
    static std::string text_of(const fs::path& path) {
        std::ifstream in(path);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }

    // What stands in blocks of shell commands.
    static std::string commands_of(const std::string& page) {
        std::istringstream lines(page);
        std::string commands, line;
        for (bool inside = false; std::getline(lines, line);) {
            if (line.starts_with("```"))
                inside = line == "```sh";
            else if (inside)
                commands += line + "\n";
        }
        return commands;
    }

    // Runs a page beside copies of the images that it names, and gives what it printed.
    std::string run_page(const std::string& name, const std::vector<std::string>& images) const {
        const char* images_folder = std::getenv("TESELA_IMAGES");
        EXPECT_TRUE(images_folder)
            << "TESELA_IMAGES does not name the folder of images; run ./dev test";
        if (!images_folder) return "";
        for (const std::string& image : images)
            fs::copy(fs::path(images_folder) / image, file(image));
        const std::string commands = commands_of(text_of(pages / name));
        EXPECT_FALSE(commands.empty()) << name;
        const fs::path script = file("page.sh"), output = file("page.txt");
        std::ofstream(script) << "set -e\ncd '" << script.parent_path().string() << "'\nPATH='"
                              << fs::path(TESELA_PROGRAM).parent_path().string() << "':$PATH\n"
                              << commands;
        const int status =
            std::system(("sh '" + script.string() + "' > '" + output.string() + "' 2>&1").c_str());
        EXPECT_EQ(status, 0) << text_of(output);
        return text_of(output);
    }
};

// The number behind a word.
double number_after(const std::string& text, const std::string& word) {
    const std::size_t place = text.find(word);
    return place == std::string::npos ? NAN
                                      : std::strtod(text.c_str() + place + word.size(), nullptr);
}

// The cells of a table's first row, by the names of their columns.
std::map<std::string, double> first_row(const std::string& text) {
    std::istringstream table(text);
    std::string header, row, name, cell;
    std::getline(table, header);
    std::getline(table, row);
    std::istringstream names(header), cells(row);
    std::map<std::string, double> found;
    while (std::getline(names, name, ',') && std::getline(cells, cell, ','))
        found[name] = std::strtod(cell.c_str(), nullptr);
    return found;
}

TEST_F(TaskPages, MeasureALesion) {
    const std::string printed = run_page("measure-a-lesion.md", {"ch2.nii.gz"});
    const std::string page = text_of(pages / "measure-a-lesion.md");
    EXPECT_NEAR(number_after(page, "Dice coefficient is"), number_after(printed, "Dice"), 0.0006)
        << printed;
    // The last number of the row of the label.
    const std::string row = printed.substr(printed.rfind("label "));
    EXPECT_NEAR(number_after(page, "at 1 mm is"),
                std::strtod(row.c_str() + row.find_last_of(' '), nullptr), 0.00006);
    auto lesion = first_row(read_text("lesion.csv")), slice = first_row(read_text("slice.csv"));
    EXPECT_NEAR(lesion["volume_ml"], number_after(page, "The lesion has"), 0.006);
    EXPECT_NEAR(lesion["volume_ml"], 3.312, 0.1 * 3.312);
    EXPECT_GT(lesion["intensity_mean-0"], lesion["intensity_mean-1"] + 50);
    EXPECT_NEAR(slice["feret_diameter_max_mm"], number_after(page, "_mm`, here"), 0.06);
    EXPECT_EQ(shape_of(io::read_image(file("lesion.png")).image).channels, 3);
}

TEST_F(TaskPages, CountCells) {
    const std::string printed = run_page("count-cells.md", {});
    EXPECT_NE(printed.find("100 in the truth"), std::string::npos) << printed;
    std::istringstream row(printed.substr(printed.find("\n0.50") + 1));
    double iou = 0, matched = 0, f1 = 0;
    row >> iou >> matched >> f1;
    EXPECT_GE(f1, 0.93) << printed;
    EXPECT_EQ(shape_of(io::read_image(file("counted.png")).image).channels, 3);
}

TEST_F(TaskPages, ExtractBrain) {
    const std::string printed = run_page("extract-brain.md", {"ch2.nii.gz", "ch2bet.nii.gz"});
    EXPECT_GE(number_after(printed, "Dice"), 0.95) << printed;
    // The page tells the figures of this run.
    const std::string page = text_of(pages / "extract-brain.md");
    EXPECT_NEAR(number_after(page, "Dice coefficient is"), number_after(printed, "Dice"), 0.0006);
    std::istringstream table(read_text("brain.csv"));
    std::string header, row;
    std::getline(table, header);
    std::getline(table, row);
    EXPECT_NEAR(std::stod(row) / 1000, number_after(page, "with its ventricles has"), 0.6) << row;
    const AnyImage picture = io::read_image(file("brain.png")).image;
    EXPECT_EQ(shape_of(picture).channels, 3);
}

}  // namespace
}  // namespace tesela::cli::testing
