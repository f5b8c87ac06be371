// A libtiff handle over our own file access, with its complaints caught instead of printed.
#pragma once

#include <tiffio.h>

#include <string>

#include "io/file.h"

namespace tesela::io {

class TiffHandle {
  public:
    // `mode` as for TIFFOpen. Check `get()`: it is null where libtiff refused, see `error()`.
    TiffHandle(std::FILE* file, const char* mode);
    ~TiffHandle() { close(); }
    TiffHandle(const TiffHandle&) = delete;
    TiffHandle& operator=(const TiffHandle&) = delete;

    TIFF* get() const { return tiff_; }
    void close();

    // The first complaint since the last `clear`; empty where there was none.
    std::string error() const { return printable(log_.error); }
    std::string warning() const { return printable(log_.warning); }
    void clear() { log_ = {}; }
    // The errno of the first access to the file that failed; 0 where none did.
    int system_error() const { return stream_.error; }

    template <class T>
    T field(std::uint32_t tag, T otherwise) const {
        T value{};
        return TIFFGetFieldDefaulted(tiff_, tag, &value) ? value : otherwise;
    }

  private:
    struct Log {
        char error[256] = "";
        char warning[256] = "";
    };
    struct Stream {
        std::FILE* file;
        int error = 0;
    };
    static Stream& stream_of(thandle_t handle) { return *static_cast<Stream*>(handle); }
    static tmsize_t read_bytes(thandle_t handle, void* data, tmsize_t size);
    static tmsize_t write_bytes(thandle_t handle, void* data, tmsize_t size);
    static toff_t seek(thandle_t handle, toff_t offset, int whence);
    static toff_t size_of(thandle_t handle);
    static int on_error(TIFF*, void* log, const char* module, const char* format, va_list values);
    static int on_warning(TIFF*, void* log, const char* module, const char* format, va_list values);

    Log log_;
    Stream stream_;
    TIFF* tiff_ = nullptr;
};

}  // namespace tesela::io
