// tesela VERB [options] INPUT...
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <array>
#include <exception>
#include <new>

#include "errors.h"
#include "interrupt.h"
#include "messages.h"
#include "operation_verb.h"
#include "tesela/warnings.h"
#include "tesela_version.h"
#include "verbs.h"

namespace {

using namespace tesela::cli;

const std::array own_verbs{
    Verb{"tridiagonal", "solve tridiagonal systems of equations", run_tridiagonal,
         tesela::operations::tasks::filter},
    Verb{"warp", "carry images, labels and outlines along a transform", run_warp,
         tesela::operations::tasks::registration},
    Verb{"tissue", "train on annotated slides or tiles, map the tissue of others", run_tissue,
         tesela::operations::tasks::texture},
    Verb{"slide", "read, cut and convert whole slides", run_slide, "Files and devices"},
    Verb{"evaluate", "measure how well a result agrees with the truth", run_evaluate, "Evaluation"},
    Verb{"synthesize", "make data whose right result is known", run_synthesize, "Evaluation"},
    Verb{"bench", "run published experiments and write tables and charts", run_bench, "Evaluation"},
    Verb{"info", "print size, type, geometry and values of images", run_info, "Files and devices"},
    Verb{"devices", "list the devices of this machine", run_devices, "Files and devices"},
};

// The heap reserves 64 MiB of addresses for each thread that allocates. Under `ulimit -v` those are
// soon all that there are, and the next thread cannot start.
void share_heap_where_addresses_are_few() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

int run(const Arguments& arguments) {
    if (!arguments.empty() && arguments.front() == "--version") {
        print(fmt::format("tesela {}\n", TESELA_VERSION));
        return exit_done;
    }
    std::vector<Verb> verbs = verbs_of(tesela::operations::Registry::all());
    verbs.insert(verbs.end(), own_verbs.begin(), own_verbs.end());
    return dispatch("tesela",
                    "Segmentation and motion of 2-D to 4-D images, biomedical ones first.", verbs,
                    arguments);
}

}  // namespace

int main(int count, char** arguments) {
    share_heap_where_addresses_are_few();
    tesela::set_warning_handler(warn);
    try {
        return run({arguments + 1, arguments + count});
    } catch (const tesela::Error& error) {
        complain(error.code() == tesela::ErrorCode::cancelled ? cancelled_text : error.what());
        return exit_code(error.code());
    } catch (const std::bad_alloc&) {
        complain("this machine has not enough memory for the job");
        return exit_memory;
    } catch (const std::exception& error) {
        complain(error.what());
        return exit_failed;
    }
}
