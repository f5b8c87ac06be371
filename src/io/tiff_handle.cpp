#include "io/tiff_handle.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>

namespace tesela::io {
namespace {

int leave_open(thandle_t) { return 0; }
int refuse_map(thandle_t, void**, toff_t*) { return 0; }
void nothing_to_unmap(thandle_t, void*, toff_t) {}

// A tag whose value libtiff does not know is left out. That is no damage where the tag says nothing
// of the pixels themselves.
bool is_harmless(const char* error) {
    if (!std::strstr(error, "Bad value")) return false;
    for (const char* tag :
         {"\"Orientation\"", "\"ResolutionUnit\"", "\"XResolution\"", "\"YResolution\""})
        if (std::strstr(error, tag)) return true;
    return false;
}

}  // namespace

tmsize_t TiffHandle::read_bytes(thandle_t handle, void* data, tmsize_t size) {
    return static_cast<tmsize_t>(
        std::fread(data, 1, static_cast<std::size_t>(size), stream_of(handle).file));
}

tmsize_t TiffHandle::write_bytes(thandle_t handle, void* data, tmsize_t size) {
    Stream& stream = stream_of(handle);
    const auto written =
        static_cast<tmsize_t>(std::fwrite(data, 1, static_cast<std::size_t>(size), stream.file));
    if (written != size && !stream.error) stream.error = errno;
    return written;
}

// Writes what is buffered, and so may fail where the disk is full.
toff_t TiffHandle::seek(thandle_t handle, toff_t offset, int whence) {
    Stream& stream = stream_of(handle);
    if (fseeko(stream.file, static_cast<off_t>(offset), whence) == 0)
        return static_cast<toff_t>(ftello(stream.file));
    if (!stream.error) stream.error = errno;
    return static_cast<toff_t>(-1);
}

toff_t TiffHandle::size_of(thandle_t handle) {
    Stream& stream = stream_of(handle);
    if (std::fflush(stream.file) != 0 && !stream.error) stream.error = errno;
    struct stat facts {};
    return fstat(fileno(stream.file), &facts) == 0 ? static_cast<toff_t>(facts.st_size) : 0;
}

TiffHandle::TiffHandle(std::FILE* file, const char* mode) : stream_{file} {
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &log_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &log_);
    std::rewind(file);
    tiff_ = TIFFClientOpenExt("TIFF", mode, &stream_, read_bytes, write_bytes, seek, leave_open,
                              size_of, refuse_map, nothing_to_unmap, options);
    TIFFOpenOptionsFree(options);
}

void TiffHandle::close() {
    if (tiff_) TIFFClose(tiff_);
    tiff_ = nullptr;
}

int TiffHandle::on_error(TIFF*, void* log, const char*, const char* format, va_list values) {
    char text[sizeof Log::error];
    std::vsnprintf(text, sizeof text, format, values);
    char* kept =
        is_harmless(text) ? static_cast<Log*>(log)->warning : static_cast<Log*>(log)->error;
    if (!*kept) std::memcpy(kept, text, sizeof text);
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
