#include "operations/all.h"
#include "operations/registry.h"

namespace tesela::operations {

void add_evaluate(Registry& registry) {
    registry.add(Family{.name = "evaluate",
                        .purpose = "compare a result with the truth",
                        .sentence = "Compares a result with the truth.",
                        .task = tasks::evaluation});
    add_evaluate_labels(registry);
    add_evaluate_flow(registry);
    add_evaluate_circles(registry);
    add_evaluate_image(registry);
    add_evaluate_landmarks(registry);
}

}  // namespace tesela::operations
