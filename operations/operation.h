// What Tesela can do, each operation described once: inputs, options, outputs, and the call itself.
//
// The command line, its help and `--describe` are made from these descriptions, and so may be the
// keywords of another language or the form of a viewer. Nothing here knows a file: the caller makes
// the inputs and takes the outputs.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "operations/image_value.h"
#include "operations/kind.h"
#include "operations/option.h"
#include "tesela/compute/queue.h"
#include "tesela/error.h"
#include "tesela/image.h"
#include "tesela/progress.h"
#include "tesela/stage_load.h"
#include "tesela/stage_times.h"

namespace tesela {
class TileSource;
}

namespace tesela::operations {

// One thing that an operation is called with, of a kind of operations/kinds/.
struct Input {
    std::string_view name;
    Kind kind;
    std::string_view help;
    bool required = true;
    std::string_view alias = {};      // another name
    std::string_view automatic = {};  // what asks the operation to choose it, which is the default
    bool own_grid = false;            // need not lie on the grid of the first image
    std::string_view grid_of = {};    // an input with its own grid, on which this one lies
    bool several = false;             // the last input, or a named one: a vector of values
    int axes = 4;                     // of an image at most; 2: a picture, 3: a volume, 4: in time
    bool any_channels = false;        // of an image, also several that are no color
    bool names_labels = false;        // its labels may be given names by the caller
};

// Inputs and outputs by name. A value is of the type that its kind says; whatever an ImageValue can
// be made of becomes one.
class Values {
  public:
    template <class T>
    void set(std::string_view name, T value) {
        if constexpr (std::is_constructible_v<ImageValue, T> && !std::is_same_v<T, ImageValue>)
            set(name, ImageValue(std::move(value)));
        else
            values_.insert_or_assign(std::string(name),
                                     Held{std::any(std::move(value)), &typeid(T)});
    }
    // Without a copy: the caller keeps it alive and where it is.
    template <class T>
    void refer(std::string_view name, const T& value) {
        if constexpr (std::is_constructible_v<AnyImageView, const T&>)
            set(name, AnyImageView(value));
        else
            values_.insert_or_assign(std::string(name), Held{std::any(&value), &typeid(T)});
    }
    bool has(std::string_view name) const { return values_.contains(name); }
    // The type of the value; nullptr where there is none.
    const std::type_info* type_of(std::string_view name) const;
    // Throws InvalidArgument where there is no such value, or it is of another kind.
    template <class T>
    const T& get(std::string_view name) const {
        const T* value = find<T>(name);
        if (!value) throw_no_value(name);
        return *value;
    }
    // nullptr instead.
    template <class T>
    const T* find(std::string_view name) const {
        const auto found = values_.find(name);
        if (found == values_.end()) return nullptr;
        const std::any& value = found->second.value;
        if (const auto* referred = std::any_cast<const T*>(&value)) return *referred;
        return std::any_cast<T>(&value);
    }

    const ImageValue& image(std::string_view name) const { return get<ImageValue>(name); }
    // Pixels on the host. Throws InvalidArgument as `get`, and for pixels on a device.
    const AnyImageView& view(std::string_view name) const { return image(name).view(); }
    std::optional<AnyImageView> find_view(std::string_view name) const {
        if (!has(name)) return {};
        return view(name);
    }
    // Those of one type. Throws InvalidArgument for another one, too.
    template <class T>
    const PixelView<T>& pixels(std::string_view name) const {
        return image(name).pixels<T>();
    }
    const LabelView& labels(std::string_view name) const { return pixels<std::uint32_t>(name); }
    std::optional<LabelView> find_labels(std::string_view name) const {
        if (!has(name)) return {};
        return labels(name);
    }

  private:
    [[noreturn]] static void throw_no_value(std::string_view name);

    struct Held {
        std::any value;  // or a pointer to it
        const std::type_info* type;
    };
    std::map<std::string, Held, std::less<>> values_;
};

// What is wrong with one of several inputs, whose name the caller knows better.
class InvalidInput : public InvalidArgument {
  public:
    InvalidInput(std::string input, const std::string& sentence)
        : InvalidArgument(sentence), input_(std::move(input)) {}
    const std::string& input() const { return input_; }

  private:
    std::string input_;
};

// What an operation is called with. The references hold during the call.
struct Call {
    const Values& inputs;
    const Options& options;
    const std::set<std::string, std::less<>>& wanted;  // names of outputs
    // Optional: labels on the way, after so many steps each.
    std::function<void(std::int64_t step, const LabelImage& labels)> snapshot = {};
    std::int64_t snapshot_every = 0;
    // Optional: what inputs are called, such as the names of their files, for reports and errors.
    std::map<std::string, std::vector<std::string>, std::less<>> names = {};
    // Optional: what the labels stand for that the operation makes.
    SharedLabelTable made_labels = {};
    // What takes outputs that are made part by part, of those that are wanted.
    Values parts = {};
    int threads = 0;       // that the host may use; 0: all
    bool is_part = false;  // the image is a tile of a slide, of which alone nothing is to be said
    // All queues, of operations that use several (DeviceUse::queues). Otherwise empty.
    std::vector<Queue*> queues = {};

    // Of the input named so: its pixels on the host, and its shape wherever they are.
    const AnyImageView& image() const { return inputs.view("input"); }
    const Shape& shape() const { return inputs.image("input").shape(); }
    // The same with other inputs, which outlive it.
    Call with(const Values& others) const;
    // What the input is called, or its own name.
    std::string name_of(std::string_view input, std::size_t index = 0) const;
    bool wants(std::string_view output) const { return wanted.contains(output); }
    // What the labels of an input stand for; empty where nothing is known.
    const LabelTable& labels_of(std::string_view input) const;
};

struct PixelFormat {
    PixelType type;
    int channels = 1;
};

struct ImageForm {
    Shape shape;
    PixelType type;
};

struct Output {
    std::string_view name;
    Kind kind;
    std::string_view help;
    // Of the picture that an image gives rise to; empty: that of the image.
    std::function<PixelFormat(const AnyImageView& image)> pixels = {};
    bool required = false;         // nothing is computed without it
    bool always = false;           // made even where it is not asked for
    bool by_name_alone = false;    // not among all outputs: some images do not give it
    bool convertible = false;      // may be asked for in another pixel type
    bool keeps_labels = false;     // its pixels are labels of the image named "input"
    bool keeps_values = false;     // its pixels are on the scale of "input", as Hounsfield's
    std::string_view suffix = {};  // of its files in a folder, one for each of several inputs
    // Of a picture that does not lie on the image's grid: known before it is made.
    std::function<ImageForm(const AnyImageView& image, const Options&)> form = {};
};

// A figure that an operation reports, such as the number of regions.
struct Figure {
    using Record = std::vector<Figure>;
    using Value =
        std::variant<std::monostate, bool, std::int64_t, double, std::string,
                     std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>,
                     std::vector<std::vector<std::int64_t>>, std::vector<Record>, Record>;

    // Compiled once: every operation makes figures.
    Figure(std::string called, Value of);
    Figure(const Figure&);
    Figure(Figure&&) noexcept;
    Figure& operator=(const Figure&);
    Figure& operator=(Figure&&) noexcept;
    ~Figure();

    std::string name;
    Value value;
};
using Figures = Figure::Record;

struct Results {
    Values outputs;
    std::string summary;  // a line for people
    Figures figures;
    Figures details = {};   // what few look at: a list of rounds, an interval for each label
    std::string text = {};  // the same for people, in several lines
    std::string data = {};  // the result itself, of operations whose result is a text
    // Options whose value the image decides, as they were used.
    std::vector<std::pair<std::string, OptionValue>> used = {};
    std::vector<StageTime> stages = {};
    std::vector<StageLoad> loads = {};    // of stages that worked at the same time
    std::vector<DeviceLoad> shared = {};  // what each device did, of `shared_thing`
    std::string shared_thing = {};
    std::vector<std::string> warnings = {};
    QueueWork work = {};  // what the queue was given to do: launches, transfers and their bytes
    std::int64_t views_copied = 0, bytes_copied = 0;  // of inputs, because of their strides
    // Why the job fails although it has results: outputs that are not among them are not written.
    std::string failure = {};
};

// In bytes, at most, beside the pictures among inputs and outputs.
struct Memory {
    std::int64_t device = 0;
    std::int64_t held = 0;       // other results
    std::int64_t computing = 0;  // of the host, while the device works
    std::int64_t finishing = 0;  // of the host, in `finish`
    Figures known = {};          // what is known of the results before the work
};

// Which queues an operation gets beside the one that all get.
enum class Queues {
    none,
    of_devices,  // those of all devices that were named
    for_tiles,   // of one device; of a CPU one for each thread, as tiles are many
};
// How many queues on a device work at the same time.
int queues_for(Queues queues, const Device& device, int threads);
// All threads of the machine where `threads` is 0.
int host_threads(int threads);

// The operation on images that are on the device of its queue already, with outputs that stay
// there. Its figures are those that take no look at the result.
struct DeviceLevel {
    std::function<Results(const Call&, Queue&, const Progress&)> run = {};
    std::vector<PixelType> types = {};  // of the image named "input"
    bool one_type = false;              // which all other images have, too
    bool others_on_host = false;        // where the function looks at the other images
    bool needs_f64 = false;             // double precision of the device
};

struct Operation;
struct SequenceMethod;  // operations/sequence.h

// Where it computes; by default on one device, which the user names. The caller gives it a queue in
// any case.
struct DeviceUse {
    bool on_host = false;          // needs no device; its queue is on the CPU
    bool threaded = false;         // of these: takes a number of threads, and shows progress
    Queues queues = Queues::none;  // beside that one
    DeviceLevel level = {};        // none: images on a device are brought to the host
    // Optional: the device for the name that was given, such as "auto", with the reason.
    std::function<Device::Choice(const Options&, const std::string& device)> choose = {};
};

// How it goes over slides of any size in boxes, for outputs that are tiled images; where nothing is
// said, it cannot.
struct SlideUse {
    // How many pixels around a box its outputs depend on; nothing where it is the whole image.
    // `sample` has the type, channels and geometry of the image.
    std::function<std::optional<std::int64_t>(const Options&, const AnyImageView& sample)> halo =
        {};
    // Optional: what is known from the slide as a whole. Gives the inputs that every box gets
    // beside its pixels, and makes outputs that are no images, and figures.
    std::function<Values(const Call&, const TileSource& slide, Results&)> look = {};
    // The operation on slides. Made from `halo` where there is one.
    std::shared_ptr<const Operation> in_tiles = {};
};

// What it tells while it works: the stages of its progress, in the order in which they come, and
// labels on the way (Call::snapshot).
struct ProgressUse {
    std::vector<std::string_view> stages = {};
    bool has_snapshots = false;
};

// A flag that prints a list and does nothing else.
struct List {
    std::string_view name, help;
    std::string (*text)() = nullptr;
};

// What the command line has beside a flag for each input, output and option. Other callers need
// none of it.
struct CommandLine {
    std::vector<std::string_view> positional = {};  // options that may stand before the inputs
    std::vector<std::string_view> basic = {};       // options that a short help shows; none: all
    // A named input that stands alone: where it is given, there is no other.
    std::string_view instead_of_input = {};
    std::optional<List> list = {};
    std::string_view prints =
        {};  // a flag that asks for `data`, or an output that is printed instead
};

struct Operation {
    std::string name;          // "mean-shift", or "threshold otsu" for one of a family
    std::string purpose = {};  // a line of a list: "two classes, by Otsu's method"
    std::string sentence = {};
    std::string_view task = {};              // where it is not in a family
    std::vector<std::string> examples = {};  // without the program's name
    std::vector<Input> inputs = {};          // in this order
    std::vector<Input> named = {};           // further ones, by their names
    std::vector<Output> outputs = {};        // the first is the main one
    Options options = {};
    std::function<Results(const Call&, Queue&, const Progress&)> run = {};
    std::function<Memory(const Call&, const Device&)> memory = {};
    // Optional. Throws InvalidArgument for options that do not go together.
    std::function<void(const Options&)> check = {};
    // Optional: makes outputs that need no device, when its memory is free again.
    std::function<void(const Call&, Results&)> finish = {};
    DeviceUse device = {};
    SlideUse slides = {};
    std::shared_ptr<const SequenceMethod> sequence = {};  // where it goes through sequences
    ProgressUse progress = {};
    CommandLine command_line = {};

    // nullptr where there is none of the name.
    const Output* output(std::string_view name) const;
};

// What operations are grouped by in lists.
namespace tasks {
inline constexpr std::string_view segment = "Segmentation";
inline constexpr std::string_view filter = "Filters and edges";
inline constexpr std::string_view motion = "Motion";
inline constexpr std::string_view registration = "Registration";
inline constexpr std::string_view evaluation = "Evaluation";
inline constexpr std::string_view picture = "Pictures of volumes";
inline constexpr std::string_view texture = "Texture and tissue";
inline constexpr std::string_view files = "Files and devices";
inline constexpr std::array order{segment, filter,  motion,     registration,
                                  texture, picture, evaluation, files};
}  // namespace tasks

// Operations of the same purpose, of which one may be the default. A family of two words is part of
// the family of the first.
struct Family {
    std::string name, purpose = {}, sentence = {};
    std::string_view task = {};
    std::string default_operation = {};  // the whole name; empty: one has to be named
};

// Runs an operation after a look at its inputs, options and outputs, with all that is asked for in
// the result. Where the image named "input" is in a buffer of the queue and the operation has a
// device level for its pixels, further images are brought to where it takes them and outputs stay
// on the device; otherwise all images are brought to the host. Throws InvalidArgument for an input
// that is missing, a value beyond its range, an image that does not lie on the grid of the first
// one and one in a buffer of another queue; Cancelled soon after the token of `progress` is
// cancelled (Queue::stop_on); and as the operation does.
Results run(const Operation& operation, const Call& call, Queue& queue,
            const Progress& progress = {});
// Its parts: `check` looks, which takes no time; `compute` is all of the rest but for `finish`, for
// callers that give the device's memory back before that.
void check(const Operation& operation, const Call& call);
Results compute(const Operation& operation, const Call& call, Queue& queue,
                const Progress& progress);

// "1 region", "2 regions"
std::string counted(std::int64_t number, std::string_view thing);
// "2030 ml", or "845 mm^3" of less than a milliliter.
std::string volume_text(double cubic_millimeters);
// Whether pixels of the type are looked at as they are, not between the limits of the whole image.
inline bool keeps_gray_levels(const AnyImageView& image) {
    const PixelType type = image.pixel_type();
    return type == PixelType::u8 || type == PixelType::u16 || type == PixelType::i16;
}
// snprintf into a string.
[[gnu::format(printf, 1, 2)]] std::string printed(const char* format, ...);

}  // namespace tesela::operations
