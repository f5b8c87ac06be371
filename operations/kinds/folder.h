// Folders of files, each of which is written as soon as it is made.
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>

#include "operations/kind.h"
#include "operations/operation.h"

namespace tesela::operations {

// Writes a file of the folder: its name, its kind, and the value of that kind. An empty value
// removes what an earlier call wrote. From any thread.
using WriteFile = std::function<void(const std::string& name, Kind kind, std::any value)>;

// Of a folder that an earlier call wrote into: sets the value of a file as a value of that name.
// False where there is no such file, or it cannot be read. From any thread.
using ReadKept = std::function<bool(const std::string& name, Kind kind, Values& values)>;
// The name, among the parts of a call, of what reads the folder of an output.
inline std::string kept_part(std::string_view output) { return std::string(output) + " kept"; }
// The flag of operations that continue from their folders. Without it they are to be empty.
inline constexpr std::string_view resume_flag = "resume";
inline bool resumes(const Options& options) {
    for (const Option& option : options.described())
        if (option.name == resume_flag) return std::get<bool>(options.get(resume_flag));
    return false;
}

namespace kinds {
inline constexpr Kind folder = kind_of<WriteFile>("folder");
}

}  // namespace tesela::operations
