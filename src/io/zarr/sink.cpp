#include "io/zarr/sink.h"

#include "io/zip_file.h"

namespace tesela::io::zarr {
namespace {

class FolderSink : public Sink {
  public:
    FolderSink(const fs::path& staged, const fs::path& shown) : staged_(staged), shown_(shown) {}

    void put(const std::string& key, std::span<const std::uint8_t> bytes) override {
        const fs::path file = staged_ / key;
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        if (error) throw unwritable(shown_, error.message());
        OutputFile out(file, shown_ / key);
        out.write_or_throw(bytes.data(), bytes.size());
        out.close();
    }
    void finish() override {}

  private:
    fs::path staged_, shown_;
};

class ArchiveSink : public Sink {
  public:
    ArchiveSink(const fs::path& staged, const fs::path& shown)
        : file_(staged, shown), zip_(file_) {}

    void put(const std::string& key, std::span<const std::uint8_t> bytes) override {
        zip_.begin(key, false);
        zip_.add(bytes, bytes);
        zip_.end();
    }
    void finish() override {
        zip_.finish();
        file_.close();
    }

  private:
    OutputFile file_;
    ZipWriter zip_;
};

}  // namespace

void Sink::put_json(const std::string& key, const Json& json) {
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    put(key, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::unique_ptr<Sink> create_folder_sink(const fs::path& staged, const fs::path& shown) {
    return std::make_unique<FolderSink>(staged, shown);
}

std::unique_ptr<Sink> create_sink(const fs::path& staged, const fs::path& shown) {
    if (shown.extension() == ".zip") return std::make_unique<ArchiveSink>(staged, shown);
    return create_folder_sink(staged, shown);
}

}  // namespace tesela::io::zarr
