// The directories of one TIFF file, and the pixels of each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/picture.h"
#include "io/tiff_pages.h"

namespace tesela::io {

class TiffReader {
  public:
    // The file and the options must outlive it.
    TiffReader(const InputFile& file, const DecodeOptions& options)
        : file_(file), options_(options), tiff_(file.handle(), "rm") {}

    // Lists all directories and makes the first page the current one: the first that is no mask and
    // no reduced image. Throws UnreadableInput, and UnsupportedFormat where that page is not taken.
    void find_pages();

    const InputFile& file() const { return file_; }
    const TiffHandle& tiff() const { return tiff_; }
    const std::vector<TiffDirectory>& directories() const { return directories_; }
    // Of the first directory.
    const std::string& description() const { return description_; }
    // The index of the current page.
    std::size_t first() const { return first_; }
    const TiffPage& form() const { return directories_[first_].form; }
    // That a page takes while it is decoded, at most.
    std::int64_t chunk_work() const { return most_chunk_work_; }
    const std::vector<std::string>& warnings() const { return warnings_; }

    // Makes another page the current one. Throws as find_pages.
    void take(std::size_t directory);
    // Decodes a directory of this form; false where there is none at the index.
    bool read(std::int64_t directory, const TiffPage& form, std::uint8_t* out);
    // Reads the plane `number` planes behind the current page, which has no directory of its own.
    void read_behind(std::int64_t number, std::uint8_t* out) const;
    // How many bytes a stored one can stand for.
    double most_expansion() const;
    UnreadableInput damaged() const;

  private:
    void warn_of_other_programs();
    void go_to(std::size_t directory);
    void check_size(const TiffPage& page) const;
    std::int64_t chunk_work_here() const;
    void read_page(const TiffPage& page, std::uint8_t* out);
    void read_chunk(std::uint32_t chunk, std::vector<std::uint8_t>& buffer, tmsize_t bytes);
    // A strip or tile of the current page, and where its pixels go.
    struct Chunk {
        std::int64_t count = 0;  // of a plane
        int plane = 0;
        std::int64_t x = 0, y = 0, columns = 0, rows = 0;
        tmsize_t row_bytes = 0, bytes = 0;
    };
    Chunk chunk_at(const TiffPage& page, std::int64_t index) const;
    bool lies_as_stored(const TiffPage& page) const;
    bool unpacks_itself(const TiffPage& page, const Chunk& chunk) const;
    bool unpack_chunk(std::uint32_t number, std::span<std::uint8_t> to) const;
    void read_chunks(const TiffPage& page, std::uint8_t* out);
    void place_row(const TiffPage& page, const std::uint8_t* row, std::int64_t x, std::int64_t y,
                   std::int64_t count, int plane, std::uint8_t* out) const;

    const InputFile& file_;
    const DecodeOptions& options_;
    TiffHandle tiff_;
    bool planes_separate_ = false;
    std::vector<TiffDirectory> directories_;
    std::string description_;
    std::size_t first_ = 0;
    std::int64_t most_chunk_work_ = 0;
    std::vector<std::string> warnings_;
    bool warned_ = false;  // of the data
};

}  // namespace tesela::io
