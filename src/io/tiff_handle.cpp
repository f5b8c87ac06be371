#include "io/tiff_handle.h"

#include <sys/stat.h>

#include <cstdarg>
#include <cstring>

namespace tesela::io {
namespace {

std::FILE* stream(thandle_t handle) { return static_cast<std::FILE*>(handle); }

tmsize_t read_bytes(thandle_t handle, void* data, tmsize_t size) {
    return static_cast<tmsize_t>(
        std::fread(data, 1, static_cast<std::size_t>(size), stream(handle)));
}
tmsize_t write_bytes(thandle_t handle, void* data, tmsize_t size) {
    return static_cast<tmsize_t>(
        std::fwrite(data, 1, static_cast<std::size_t>(size), stream(handle)));
}
toff_t seek(thandle_t handle, toff_t offset, int whence) {
    if (fseeko(stream(handle), static_cast<off_t>(offset), whence) != 0)
        return static_cast<toff_t>(-1);
    return static_cast<toff_t>(ftello(stream(handle)));
}
int leave_open(thandle_t) { return 0; }
toff_t size_of(thandle_t handle) {
    struct stat facts {};
    std::fflush(stream(handle));
    return fstat(fileno(stream(handle)), &facts) == 0 ? static_cast<toff_t>(facts.st_size) : 0;
}
int refuse_map(thandle_t, void**, toff_t*) { return 0; }
void nothing_to_unmap(thandle_t, void*, toff_t) {}

}  // namespace

TiffHandle::TiffHandle(std::FILE* file, const char* mode) {
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &log_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &log_);
    std::rewind(file);
    tiff_ = TIFFClientOpenExt("TIFF", mode, file, read_bytes, write_bytes, seek, leave_open,
                              size_of, refuse_map, nothing_to_unmap, options);
    TIFFOpenOptionsFree(options);
}

void TiffHandle::close() {
    if (tiff_) TIFFClose(tiff_);
    tiff_ = nullptr;
}

int TiffHandle::on_error(TIFF*, void* log, const char*, const char* format, va_list values) {
    char* text = static_cast<Log*>(log)->error;
    if (!*text) std::vsnprintf(text, sizeof Log::error, format, values);
    return 1;
}

int TiffHandle::on_warning(TIFF*, void* log, const char*, const char* format, va_list values) {
    char* text = static_cast<Log*>(log)->warning;
    // Private tags are common and say nothing about the picture.
    if (!*text && !std::strstr(format, "Unknown field with tag"))
        std::vsnprintf(text, sizeof Log::warning, format, values);
    return 1;
}

}  // namespace tesela::io
