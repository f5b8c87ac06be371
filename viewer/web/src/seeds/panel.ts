// Seeds in the form of an operation: the label of the next one, and the list.

import { colorText, colorsOf } from "../colors/labels.ts";
import { h, iconButton, keepFocus, textButton } from "../dom.ts";
import { moveTo } from "../slices/navigate.ts";
import { type AppStore, type Seed, shownImage } from "../store/state.ts";
import { addSeed, changeSeed, removeSeed, seedsOn, selectLabel } from "./seeds.ts";

const quickLabels = 5;

/** The labels to choose from: the first few, and all that are used. */
function labelsToChoose(seeds: readonly Seed[], active: number): number[] {
  const labels = new Set(Array.from({ length: quickLabels }, (_, i) => i + 1));
  for (const seed of seeds) labels.add(seed.label);
  labels.add(active);
  return [...labels].sort((a, b) => a - b).slice(0, 24);
}

function labelChooser(store: AppStore): HTMLElement {
  const element = h("div", { className: "label-chooser", attrs: { role: "group", "aria-label": "Label of the next seed" } });
  store.watchAny(
    (state) => [state.activeLabel, state.seeds, state.view.palette],
    () => {
      const { activeLabel, seeds, view } = store.get();
      const colorOf = colorsOf(view.palette);
      const labels = labelsToChoose(seeds, activeLabel);
      const made = [
        ...labels.map((label) => {
          const chip = h("span", { className: "chip" });
          chip.style.backgroundColor = colorText(colorOf(label));
          return h(
            "button",
            {
              type: "button",
              className: "label-button",
              attrs: { "aria-pressed": String(label === activeLabel), "aria-label": `Label ${label}` },
              on: { click: () => selectLabel(store, label) },
            },
            chip,
            String(label),
          );
        }),
        furtherLabel(() => selectLabel(store, Math.max(...labels) + 1)),
      ];
      keepFocus(element, () => element.replaceChildren(...made));
    },
  );
  return element;
}

function furtherLabel(click: () => void): HTMLElement {
  const button = textButton("+", click, "label-button");
  button.setAttribute("aria-label", "A further label");
  return button;
}

function seedRow(store: AppStore, seed: Seed): HTMLElement {
  const { view, selectedSeed } = store.get();
  const chip = h("span", { className: "chip" });
  chip.style.backgroundColor = colorText(colorsOf(view.palette)(seed.label));
  const isPicture = shownImage(store.get())?.shape.z === 1;
  const place = (isPicture ? seed.at.slice(0, 2) : seed.at).join(", ");
  const label = h("input", {
    type: "number",
    className: "number label-number",
    min: "1",
    step: "1",
    value: String(seed.label),
    attrs: { "aria-label": `Label of the seed at ${place}` },
    on: { change: () => changeSeed(store, seed.id, { label: Math.max(1, Math.round(label.valueAsNumber) || 1) }) },
  });
  const go = h(
    "button",
    {
      type: "button",
      className: "seed-place",
      title: "Go there",
      on: {
        click: () => {
          moveTo(store, seed.at);
          store.set({ selectedSeed: seed.id });
        },
      },
    },
    place,
  );
  return h(
    "li",
    { className: seed.id === selectedSeed ? "is-selected" : "" },
    chip,
    label,
    go,
    iconButton("remove", `Delete the seed at ${place}`, () => removeSeed(store, seed.id), "small"),
  );
}

export function seedsPanel(store: AppStore, help: string): { element: HTMLElement; complain(sentence: string | null): void } {
  const list = h("ul", { className: "seed-list" });
  const problem = h("p", { className: "problem", attrs: { role: "alert" } });
  const tool = h("button", {
    type: "button",
    className: "button seed-tool",
    title: "Clicks into a slice set seeds (s)",
    on: { click: () => store.set((state) => ({ tool: state.tool === "seed" ? "point" : "seed" })) },
  });
  const atCrosshair = textButton("Add at cross-hair", () => addSeed(store, store.get().view.at));
  const element = h(
    "div",
    { className: "seeds option", title: help },
    h("div", { className: "option-head" }, h("span", { className: "option-title" }, "Seeds")),
    labelChooser(store),
    h("div", { className: "button-row" }, tool, atCrosshair),
    list,
    problem,
  );
  store.watch((state) => state.tool, (now) => {
    tool.textContent = now === "seed" ? "Click into a slice…" : "Set by clicks";
    tool.setAttribute("aria-pressed", String(now === "seed"));
  });
  store.watchAny(
    (state) => [state.seeds, state.selectedSeed, state.view.image, state.view.palette],
    () => {
      const state = store.get();
      const rows = seedsOn(state, shownImage(state)).map((seed) => seedRow(store, seed));
      keepFocus(list, () => list.replaceChildren(...rows));
    },
  );
  return { element, complain: (sentence) => void (problem.textContent = sentence ?? "") };
}
