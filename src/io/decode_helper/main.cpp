// tesela-decode: decodes compressed DICOM images for the library, which starts it and talks to it
// through a socket on standard input. A damaged image can end this process and nothing else.
#include <itkGDCMImageIO.h>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/decode_protocol.h"

#if defined(__SANITIZE_ADDRESS__)
    #define TESELA_SHADOW_MEMORY
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define TESELA_SHADOW_MEMORY
    #endif
#endif

namespace {

using namespace tesela::io;

constexpr int to_library = STDIN_FILENO;

bool read_all(void* data, std::size_t bytes) {
    auto* at = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = read(to_library, at, bytes);
        if (got <= 0 && !(got < 0 && errno == EINTR)) return false;
        if (got > 0) at += got, bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int file, const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t put = write(file, at, bytes);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) at += put, bytes -= static_cast<std::size_t>(put);
    }
    return true;
}

// A file in memory that has a name as long as it is open.
class MemoryFile {
  public:
    explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {
        if (file_ < 0) throw std::runtime_error("no memory for the compressed pixels");
    }
    ~MemoryFile() { close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int descriptor() const { return file_; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

// Takes what the decoders print, which are libraries in C: they report damage there and go on. The
// C++ libraries above them only remark on headers, which were written by us.
class Messages {
  public:
    Messages() : file_("messages") {
        dup2(file_.descriptor(), STDOUT_FILENO);
        dup2(file_.descriptor(), STDERR_FILENO);
        for (std::ostream* stream : {&std::cout, &std::cerr, &std::clog}) stream->rdbuf(nullptr);
    }
    // The first line that was printed since the last call. GDCM asks its decoder of 8 bits about
    // streams of 12 before the right one, which is no fault of theirs.
    std::string take() {
        std::istringstream printed(all());
        std::string line;
        while (std::getline(printed, line))
            if (!line.starts_with("Unsupported JPEG data precision 12")) return line;
        return {};
    }

  private:
    std::string all() {
        std::fflush(nullptr);
        std::string text(longest_reason, '\0');
        const ssize_t got = pread(file_.descriptor(), text.data(), text.size(), 0);
        text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        if (ftruncate(file_.descriptor(), 0) != 0) text = "its messages cannot be read";
        lseek(file_.descriptor(), 0, SEEK_SET);
        return text;
    }

    MemoryFile file_;
};

void set_soft_limit(decltype(RLIMIT_AS) resource, rlim_t value) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limit.rlim_cur = std::min(value, limit.rlim_max);
    setrlimit(resource, &limit);
}

// Processor time counts from the start of the process, which may have decoded other images.
void limit_process(const DecodeRequest& request) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    set_soft_limit(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 +
                                                   request.cpu_seconds));
    set_soft_limit(RLIMIT_CORE, 0);
#ifndef TESELA_SHADOW_MEMORY
    // Libraries and the decoder's threads, and its copies of pixels, the widest of 8 bytes.
    constexpr rlim_t base = rlim_t{1} << 30, copies = 64;
    set_soft_limit(RLIMIT_AS, base + copies * request.pixel_bytes() + 8 * request.file_bytes);
#endif
}

itk::IOComponentEnum component(const DecodeRequest& request) {
    using itk::IOComponentEnum;
    switch (request.bits_allocated) {
        case 8:
            return request.is_signed ? IOComponentEnum::CHAR : IOComponentEnum::UCHAR;
        case 16:
            return request.is_signed ? IOComponentEnum::SHORT : IOComponentEnum::USHORT;
        default:
            return request.is_signed ? IOComponentEnum::INT : IOComponentEnum::UINT;
    }
}

std::vector<char> read_pixels(const std::string& path, const DecodeRequest& request) {
    const auto io = itk::GDCMImageIO::New();
    io->SetFileName(path);
    io->ReadImageInformation();
    const unsigned dimensions = io->GetNumberOfDimensions();
    itk::ImageIORegion region(dimensions);
    for (unsigned axis = 0; axis < dimensions; ++axis)
        region.SetSize(axis, io->GetDimensions(axis));
    if (dimensions < 2 || region.GetSize(0) != static_cast<std::size_t>(request.columns) ||
        region.GetSize(1) != static_cast<std::size_t>(request.rows) ||
        io->GetNumberOfComponents() != static_cast<unsigned>(request.samples) ||
        io->GetComponentType() != component(request) ||
        static_cast<std::uint64_t>(io->GetImageSizeInBytes()) != request.pixel_bytes())
        throw std::runtime_error("they differ from what the header says");
    io->SetIORegion(region);
    std::vector<char> pixels(request.pixel_bytes());
    io->Read(pixels.data());
    return pixels;
}

std::vector<char> decode(const DecodeRequest& request, Messages& messages) {
    limit_process(request);
    const MemoryFile slice("slice");
    std::vector<char> bytes(request.file_bytes);
    if (!read_all(bytes.data(), bytes.size())) _exit(1);
    if (!write_all(slice.descriptor(), bytes.data(), bytes.size()))
        throw std::runtime_error("no memory for the compressed pixels");
    std::vector<char> pixels = read_pixels(slice.path(), request);
    const std::string text = messages.take();
    if (!text.empty()) throw std::runtime_error(text);
    return pixels;
}

bool answer(DecodeStatus status, const void* data, std::size_t bytes) {
    DecodeReply reply;
    reply.status = status;
    reply.bytes = bytes;
    return write_all(to_library, &reply, sizeof reply) && write_all(to_library, data, bytes);
}

bool answer_failure(std::string reason) {
    reason.resize(std::min<std::size_t>(reason.size(), longest_reason));
    return answer(DecodeStatus::failed, reason.data(), reason.size());
}

}  // namespace

int main() {
    // Every thread of a decoder would reserve address space for a heap and a stack of its own.
    mallopt(M_ARENA_MAX, 1);
    pthread_attr_t small_stack;
    pthread_attr_init(&small_stack);
    pthread_attr_setstacksize(&small_stack, 1 << 20);
    pthread_setattr_default_np(&small_stack);

    DecodeRequest request;
    if (!read_all(&request, sizeof request) || request.mark != request_mark) {
        std::fprintf(stderr, "tesela-decode decodes for Tesela's library and is of no other use\n");
        return 2;
    }
    Messages messages;
    do {
        std::string reason;
        try {
            const std::vector<char> pixels = decode(request, messages);
            if (!answer(DecodeStatus::pixels, pixels.data(), pixels.size())) return 1;
            continue;
        } catch (const itk::ExceptionObject&) {
            reason = "the decoder refuses them";  // its own words are about its classes
        } catch (const std::exception& error) {
            reason = error.what();
        }
        const std::string printed = messages.take();
        if (!answer_failure(printed.empty() ? reason : printed)) return 1;
    } while (read_all(&request, sizeof request) && request.mark == request_mark);
    return 0;
}
