// tesela VERB [options] INPUT...: the whole program, which main.cpp loads.
#include "entry.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <exception>
#include <new>

#include "documentation.h"
#include "errors.h"
#include "interrupt.h"
#include "messages.h"
#include "operation_verb.h"
#include "other_words.h"
#include "tesela/kept_images.h"
#include "tesela/warnings.h"
#include "tesela_version.h"
#include "verbs.h"
#ifdef TESELA_WITH_EXPERIMENTS
    #include "experiments/verbs.h"
#endif

namespace {

using namespace tesela::cli;

namespace tasks = tesela::operations::tasks;

std::vector<Verb> bench_members() {
    return {
#ifdef TESELA_WITH_EXPERIMENTS
        {"mean-shift", "experiments of the thesis behind mean shift",
         tesela::experiments::run_bench_mean_shift},
        {"flow", "experiments of the thesis behind optical flow",
         tesela::experiments::run_bench_flow},
        {"region-grow", "experiments of the thesis behind region growing",
         tesela::experiments::run_bench_region_grow},
        {"circles", "experiments on circles of the thesis behind tissue classification",
         tesela::experiments::run_bench_circles},
        {"tissue", "experiments on texture and tissue of the thesis behind tissue classification",
         tesela::experiments::run_bench_tissue},
        {"zernike", "experiments on Zernike moments of the thesis behind tissue classification",
         tesela::experiments::run_bench_zernike},
        {"slides", "all experiments of the thesis behind tissue classification",
         tesela::experiments::run_bench_slides},
        {"register", "experiments on registration of the thesis behind tissue classification",
         tesela::experiments::run_bench_register},
        {"tridiagonal", "experiments on tridiagonal systems of the thesis behind volumes",
         tesela::experiments::run_bench_tridiagonal},
        {"wavelet", "experiments on wavelets of the thesis behind volumes",
         tesela::experiments::run_bench_wavelet},
        {"level-set", "experiments on level sets of the thesis behind volumes",
         tesela::experiments::run_bench_level_set},
        {"volumes", "all experiments of the thesis behind volumes",
         tesela::experiments::run_bench_volumes},
#endif
        {"view", "how fast the viewer answers", run_bench_view}};
}

std::vector<Verb> own_verbs() {
    return {
        {.name = "bench",
         .summary = "run published experiments and measure the viewer",
         .run = {},
         .task = tasks::evaluation,
         .members = bench_members(),
         .sentence = "Runs published experiments and writes tables and charts; measures the "
                     "viewer."},
        {"view", "look at images and segment them in a browser", run_view, tasks::picture},
        {"info", "print size, type, geometry and values of images", run_info, tasks::files},
        {"devices", "list the devices of this machine", run_devices, tasks::files},
    };
}

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
    for (Verb& verb : own_verbs()) verbs.push_back(std::move(verb));
    add_documentation_verbs(verbs);
    return dispatch({.program = "tesela",
                     .introduction = "Segments, registers, measures and renders 2-D to 4-D images, "
                                     "from photographs to medical volumes.",
                     .verbs = verbs,
                     .advice = verb_for},
                    arguments);
}

}  // namespace

int tesela_program(int count, char** arguments) {
    share_heap_where_addresses_are_few();
    tesela::set_warning_handler(warn);
    tesela::keep_images(0);  // jobs take no more than they reckon
    try {
        return run({arguments + 1, arguments + count});
    } catch (const tesela::Error& error) {
        complain(error.code() == tesela::ErrorCode::cancelled ? cancelled_text() : error.what());
        return exit_code(error.code());
    } catch (const ReaderGone&) {
        return exit_reader_gone;
    } catch (const std::bad_alloc&) {
        complain("this machine has not enough memory for the job");
        return exit_memory;
    } catch (const std::exception& error) {
        complain(error.what());
        return exit_failed;
    }
}
