// The panel of operations: a list with search, and the form of the chosen one.

import { h, iconButton, labeled, textButton } from "../dom.ts";
import { seedsPanel } from "../seeds/panel.ts";
import { type Client, textOf } from "../session/client.ts";
import { type AppStore, type Panel, shownImage } from "../store/state.ts";
import type { InputDescription, OperationDescription } from "../store/wire.ts";
import { type Field, optionField } from "./fields.ts";
import {
  grouped,
  imageInputs,
  obstacle,
  ownOptions,
  seedsInput,
  shownOutputs,
  textInputs,
  titleOf,
  usualOutputs,
  valueOf,
  withOption,
} from "./form.ts";
import type { Jobs } from "./jobs.ts";
import { runBar } from "./run_bar.ts";

export function changePanel(store: AppStore, change: Partial<Panel>): void {
  store.set((state) => ({ panel: { ...state.panel, ...change } }));
}

const noChoices: Partial<Panel> = { options: {}, images: {}, texts: {}, outputs: null };

/** Opens the form of an operation, with the shown image as its input. */
export function openOperation(store: AppStore, name: string): void {
  changePanel(store, { ...noChoices, operation: name });
}

export function focusSearch(): void {
  const field = document.getElementById("operation-search") as HTMLInputElement | null;
  field?.focus();
  field?.select();
}

export function closeOperation(store: AppStore): void {
  changePanel(store, { ...noChoices, operation: null });
}

function operationList(store: AppStore): HTMLElement {
  const search = h("input", {
    type: "search",
    id: "operation-search",
    placeholder: "Search operations (/)",
    attrs: { "aria-label": "Search operations" },
    on: { input: () => show(), keydown: (event) => void (event.key === "Enter" && chooseFirst()) },
  });
  const list = h("div", { className: "operation-list" });
  const chooseFirst = () => list.querySelector<HTMLElement>("button")?.click();
  const show = () => {
    const groups = grouped(store.get().operations, search.value);
    list.replaceChildren(
      ...[...groups].map(([task, operations]) =>
        h(
          "section",
          {},
          h("h3", {}, task),
          ...operations.map((operation) =>
            h(
              "button",
              { type: "button", className: "operation-row", on: { click: () => openOperation(store, operation.name) } },
              h("span", { className: "operation-name" }, operation.name),
              h("span", { className: "operation-purpose" }, operation.purpose),
            ),
          ),
        ),
      ),
      ...(groups.size === 0 ? [h("p", { className: "hint" }, "No operation has these words.")] : []),
    );
  };
  store.watch((state) => state.operations, show);
  return h("div", { className: "operations" }, search, list);
}

/** Which of the open images an input is. */
function imageField(store: AppStore, input: InputDescription, none: string, title = titleOf(input.name)): HTMLElement {
  const select = h("select", {
    title: input.help,
    on: {
      change: () => {
        const { [input.name]: _, ...others } = store.get().panel.images;
        changePanel(store, { images: select.value === "" ? others : { ...others, [input.name]: Number(select.value) } });
      },
    },
  });
  const wantsLabels = input.kind === "labels" || input.kind === "seeds";
  store.watchAny(
    (state) => [state.listed, state.panel.images],
    () => {
      const { listed, panel } = store.get();
      // Of label inputs label maps come first, but a mask of any file is allowed.
      const sorted = [...listed].sort((a, b) =>
        wantsLabels ? Number(b.role === "labels") - Number(a.role === "labels") : 0,
      );
      select.replaceChildren(
        h("option", { value: "" }, none),
        ...sorted.map((image) => h("option", { value: String(image.id) }, image.name)),
      );
      select.value = String(panel.images[input.name] ?? "");
    },
  );
  return labeled(title, select, "field input-field");
}

/** An input that is written, such as the name of a preset. */
function textField(store: AppStore, input: InputDescription): HTMLElement {
  const text = h("input", {
    type: "text",
    title: input.help,
    placeholder: input.help,
    on: { change: () => changePanel(store, { texts: { ...store.get().panel.texts, [input.name]: text.value } }) },
  });
  store.watch((state) => state.panel.texts, (texts) => void (text.value = texts[input.name] ?? ""));
  return labeled(titleOf(input.name), text, "field input-field");
}

/** Which outputs a job makes, where there are several. */
function outputsField(store: AppStore, description: OperationDescription): HTMLElement | null {
  const outputs = shownOutputs(description);
  if (outputs.length < 2) return null;
  const boxes = outputs.map(({ name, help }) => {
    const box = h("input", { type: "checkbox", value: name, on: { change: () => choose() } });
    return { box, element: h("label", { className: "check", title: help }, box, titleOf(name)) };
  });
  const choose = () =>
    changePanel(store, { outputs: boxes.filter(({ box }) => box.checked).map(({ box }) => box.value) });
  store.watch((state) => state.panel.outputs, (chosen) => {
    const wanted = chosen ?? usualOutputs(description);
    for (const { box } of boxes) box.checked = wanted.includes(box.value);
  });
  return h(
    "fieldset",
    { className: "outputs" },
    h("legend", {}, "Outputs"),
    h("div", { className: "checks" }, ...boxes.map(({ element }) => element)),
  );
}

function devicesField(store: AppStore): HTMLElement {
  const reason = h("p", { className: "hint" });
  const select = h("select", {
    on: { change: () => changePanel(store, { device: select.value === "" ? null : select.value }) },
  });
  store.watchAny(
    (state) => [state.devices, state.panel.device],
    () => {
      const { devices, panel } = store.get();
      const chosen = devices.find((device) => device.chosen);
      select.replaceChildren(
        h("option", { value: "" }, chosen ? `automatic (${chosen.name})` : "automatic"),
        ...devices.map((device) =>
          h("option", { value: device.id ?? device.name, disabled: !device.usable, title: device.reason ?? "" }, device.name),
        ),
      );
      select.value = panel.device ?? "";
      reason.textContent = devices
        .filter((device) => !device.usable && device.reason)
        .map((device) => `${device.name}: ${device.reason}`)
        .join("\n");
    },
  );
  return h("div", { className: "devices" }, labeled("Device", select), reason);
}

function operationForm(store: AppStore, jobs: Jobs, description: OperationDescription): HTMLElement {
  const images = imageInputs(description);
  const seeds = seedsInput(description);
  const seedField = seeds ? seedsPanel(store, seeds.help) : null;
  const options = ownOptions(description);
  const image = jobs.image(description);
  const fields: Field[] = options.map((option) =>
    optionField(option, image, (value) => changePanel(store, { options: withOption(store.get().panel.options, option, value) })),
  );
  const isBasic = (i: number) => !options[i]?.advanced;
  const advanced = h(
    "details",
    { className: "advanced" },
    h("summary", {}, "Advanced"),
    ...fields.filter((_, i) => !isBasic(i)).map((field) => field.element),
    outputsField(store, description),
    devicesField(store),
  );
  const cannot = obstacle(description);
  const bar = runBar(store, jobs, cannot !== null);
  store.watch((state) => state.panel, (panel) => {
    if (panel.operation === description.verb)
      fields.forEach((field, i) => options[i] && field.update(valueOf(panel, options[i])));
  });
  store.watch((state) => state.problem, (problem) => {
    for (const field of fields) field.complain(problem?.field === field.name ? problem.message : null);
    seedField?.complain(seeds && problem?.field === seeds.name ? problem.message : null);
    const wrong = fields.findIndex((field) => field.name === problem?.field);
    if (wrong >= 0 && !isBasic(wrong)) advanced.open = true;
    const isKnown = wrong >= 0 || (seeds !== undefined && problem?.field === seeds.name);
    bar.complain(problem && !isKnown ? problem.message : null);
  });
  return h(
    "form",
    { className: "form", on: { submit: (event: SubmitEvent) => (event.preventDefault(), void jobs.run()) } },
    cannot && h("p", { className: "problem" }, cannot),
    ...images.map((input, i) => imageField(store, input, i === 0 ? "the shown image" : input.required ? "choose…" : "none")),
    seedField?.element,
    seeds ? imageField(store, seeds, "the seeds above", "Or labels of") : null,
    ...textInputs(description).map((input) => textField(store, input)),
    ...fields.filter((_, i) => isBasic(i)).map((field) => field.element),
    advanced,
    bar.element,
  );
}

export function operationsPanel(store: AppStore, client: Client, jobs: Jobs): HTMLElement {
  const list = operationList(store);
  const body = h("div", { className: "operation" });
  const readOnly = h("p", { className: "hint" }, "This viewer is read-only: it shows images and computes nothing.");
  const panel = h("section", { className: "panel-section operations-panel", attrs: { "aria-label": "Operations" } }, readOnly, list, body);
  const open = async (name: string) => {
    const title = h("h2", { tabIndex: -1 }, name);
    const purpose = store.get().operations.find((o) => o.name === name)?.purpose ?? "";
    const summary = h("p", { className: "summary" }, purpose);
    const head = h("div", { className: "operation-head" }, iconButton("back", "All operations", () => closeOperation(store)), title);
    body.replaceChildren(head, summary, h("p", { className: "hint" }, "Loading…"));
    try {
      const description = await client.operation(name);
      if (store.get().panel.operation !== name) return;
      summary.textContent = description.summary;
      fixInput(description);
      jobs.description = description; // from now on changes start jobs
      body.replaceChildren(head, summary, operationForm(store, jobs, description));
      title.focus({ preventScroll: true });
    } catch (error) {
      body.replaceChildren(head, h("p", { className: "problem" }, textOf(error)), textButton("Try again", () => void open(name)));
    }
  };
  // What is shown when the form opens stays its input, also when a result is shown then.
  const fixInput = (description: OperationDescription) => {
    const first = imageInputs(description)[0];
    const image = shownImage(store.get());
    const { images } = store.get().panel;
    if (first && image && images[first.name] === undefined)
      changePanel(store, { images: { ...images, [first.name]: image.id } });
  };
  store.watch((state) => state.session?.read_only === true, (now) => {
    readOnly.hidden = !now;
    list.hidden = now;
  });
  store.watch((state) => state.panel.operation, (name) => {
    jobs.description = null;
    list.hidden = name !== null || store.get().session?.read_only === true;
    body.hidden = name === null;
    body.replaceChildren();
    store.set({ problem: null });
    if (name !== null) void open(name);
    else if (document.body.contains(panel)) focusSearch();
  });
  return panel;
}
