// Run, cancel, progress and auto-refresh of the panel's job.

import { h, icon } from "../dom.ts";
import type { AppStore } from "../store/state.ts";
import type { Jobs } from "./jobs.ts";

export interface RunBar {
  element: HTMLElement;
  complain(sentence: string | null): void;
}

export function runBar(store: AppStore, jobs: Jobs, isDisabled: boolean): RunBar {
  const run = h("button", { type: "submit", className: "button primary", disabled: isDisabled, title: "Run (r)" }, icon("run"), "Run");
  const cancel = h(
    "button",
    { type: "button", className: "button", title: "Cancel (Esc)", on: { click: () => jobs.cancel() } },
    icon("stop"),
    "Cancel",
  );
  const automatic = h("input", {
    type: "checkbox",
    on: {
      change: () =>
        store.set((state) => ({ panel: { ...state.panel, automatic: automatic.checked } })),
    },
  });
  const progress = h("progress", { max: 1, attrs: { "aria-label": "Progress" } });
  const stage = h("span", { className: "hint stage", attrs: { role: "status" } });
  const problem = h("p", { className: "problem", attrs: { role: "alert" } });
  const element = h(
    "div",
    { className: "run-bar" },
    problem,
    h(
      "div",
      { className: "button-row" },
      run,
      cancel,
      h("label", { className: "check", title: "A change of an option or a seed starts the job anew" }, automatic, "Auto-refresh"),
    ),
    progress,
    stage,
  );
  store.watch((state) => state.panel.automatic, (on) => void (automatic.checked = on));
  store.watch((state) => state.running, (job) => {
    cancel.disabled = !job;
    element.classList.toggle("is-running", job !== null);
    if (job && typeof job.fraction === "number") progress.value = job.fraction;
    else progress.removeAttribute("value");
    stage.textContent = job ? (job.state === "waiting" ? "Waiting" : (job.stage ?? "Running")) : "";
  });
  return { element, complain: (sentence) => void (problem.textContent = sentence ?? "") };
}
