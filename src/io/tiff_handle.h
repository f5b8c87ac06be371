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
    static int on_error(TIFF*, void* log, const char* module, const char* format, va_list values);
    static int on_warning(TIFF*, void* log, const char* module, const char* format, va_list values);

    Log log_;
    TIFF* tiff_ = nullptr;
};

}  // namespace tesela::io
