// How the volume is shown: mode, transfer function, clip box, and what to type for the same picture.

import { h, iconButton, labeled, textButton } from "../dom.ts";
import { copyLine } from "../operations/results.ts";
import type { Client } from "../session/client.ts";
import { type AppStore, type State, shownImage } from "../store/state.ts";
import { type Triple, lengthsOf } from "../store/wire.ts";
import { wholeBox } from "./camera.ts";
import { TransferEditor } from "./gestures.ts";
import { lookFrom } from "./pointer.ts";
import { type Mode, bodyOf, initialLook, isVolume, sceneOf, setLook, transferOf } from "./look.ts";

const modeTexts: readonly (readonly [Mode, string])[] = [
  ["composite", "Colors"],
  ["mip", "Maximum"],
  ["average", "Mean"],
  ["isosurface", "Surface"],
];
const sides: readonly (readonly [string, string, string])[] = [
  ["anterior", "A", "From the front"],
  ["posterior", "P", "From behind"],
  ["left", "L", "From the left"],
  ["right", "R", "From the right"],
  ["superior", "S", "From above"],
  ["inferior", "I", "From below"],
];
const linesSize = 1024; // pixels of the picture that the lines make

function check(text: string, change: (on: boolean) => void): { element: HTMLElement; input: HTMLInputElement } {
  const input = h("input", { type: "checkbox", on: { change: () => change(input.checked) } });
  return { input, element: h("label", { className: "check" }, input, text) };
}

/** First and last voxel along each axis, as two sliders. */
function clipSection(store: AppStore): { element: HTMLElement; update(state: State): void } {
  const change = (axis: number, end: 0 | 1, value: number) => {
    const image = shownImage(store.get());
    if (!image) return;
    const whole = wholeBox(image);
    const box = (store.get().volume.clip ?? whole).map((corner) => [...corner]) as [number[], number[]];
    const other = box[1 - end]?.[axis] ?? 0;
    box[end]![axis] = end === 0 ? Math.min(value, other) : Math.max(value, other);
    const isWhole = JSON.stringify(box) === JSON.stringify(whole);
    setLook(store, { clip: isWhole ? null : (box as unknown as readonly [Triple, Triple]) });
  };
  const sliders = ["x", "y", "z"].map((name, axis) =>
    ([0, 1] as const).map((end) =>
      h("input", {
        type: "range",
        min: "0",
        attrs: { "aria-label": `${end === 0 ? "First" : "Last"} voxel along ${name}` },
        on: { input: (event) => change(axis, end, (event.target as HTMLInputElement).valueAsNumber) },
      }),
    ),
  );
  const rows = sliders.map((pair, axis) => h("div", { className: "clip-row" }, h("span", { attrs: { "aria-hidden": "true" } }, "xyz"[axis]), ...pair));
  const element = h("details", {}, h("summary", {}, "Clip box"), ...rows, textButton("All of it", () => setLook(store, { clip: null }), "small"));
  const update = (state: State) => {
    const image = shownImage(state);
    if (!image) return;
    const box = state.volume.clip ?? wholeBox(image);
    sliders.forEach((pair, axis) =>
      pair.forEach((slider, end) => {
        slider.max = String((lengthsOf(image)[axis] ?? 1) - 1);
        slider.value = String(box[end]?.[axis] ?? 0);
        slider.setAttribute("aria-valuetext", `${slider.value} of ${slider.max}`);
      }),
    );
  };
  return { element, update };
}

/** The lines are the server's, and asked for where somebody looks. */
function linesSection(store: AppStore, client: Client, view: string): { element: HTMLElement; update(): void } {
  const body = h("div", { className: "lines" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = "";
  const ask = async () => {
    const request = bodyOf(store.get(), view, linesSize, linesSize);
    const key = JSON.stringify(request);
    if (!request || key === shown) return;
    shown = key;
    const { command, python } = (await (await client.view("lines", request)).json()) as { command: string; python: string };
    if (key === shown) body.replaceChildren(copyLine("command", command), copyLine("Python line", python));
  };
  const update = () => {
    clearTimeout(timer);
    if (element.open) timer = setTimeout(() => void ask().catch(() => (shown = "")), 200);
  };
  const element = h("details", { className: "lines", on: { toggle: update } }, h("summary", {}, "Command and Python"), body);
  return { element, update };
}

export function volumePanel(store: AppStore, client: Client, view: string): HTMLElement {
  const mode = h(
    "select",
    { on: { change: () => chooseMode(mode.value as Mode) } },
    ...modeTexts.map(([value, text]) => h("option", { value }, text)),
  );
  const chooseMode = (value: Mode) => {
    const range = sceneOf(store.get())?.range;
    const iso = store.get().volume.iso ?? (range ? Number(((range[0] + range[1]) / 2).toPrecision(4)) : null);
    setLook(store, { mode: value, ...(value === "isosurface" ? { iso } : {}) });
  };
  const preset = h("select", { on: { change: () => setLook(store, { preset: preset.value, transfer: null }) } });
  const iso = h("input", {
    type: "number",
    step: "any",
    className: "number",
    on: { change: () => Number.isFinite(iso.valueAsNumber) && setLook(store, { iso: iso.valueAsNumber }) },
  });
  const presetField = labeled("Preset", preset);
  const isoField = labeled("Value", iso);
  const editor = new TransferEditor((transfer) => setLook(store, { transfer }));
  const sideButtons = h(
    "div",
    { className: "volume-sides", attrs: { role: "group", "aria-label": "Seen from" } },
    ...sides.map(([side, letter, title]) => {
      const button = textButton(letter, () => lookFrom(store, side), "small");
      button.title = title;
      button.setAttribute("aria-label", title);
      return button;
    }),
  );
  const shading = check("Light", (on) => setLook(store, { shading: on }));
  const labels = check("Labels", (on) => setLook(store, { labels: on }));
  const clip = clipSection(store);
  const lines = linesSection(store, client, view);
  const shown = check("Show", (on) => setLook(store, { shown: on }));
  const reset = iconButton("reset", "Everything in 3-D as at the start", () => {
    const { image } = store.get().volume;
    setLook(store, { ...initialLook, image });
  }, "small");
  const more = h("div", { className: "volume-look" }, sideButtons, labeled("Shows", mode), presetField, isoField, editor.element, h("div", { className: "checks" }, shading.element, labels.element), clip.element, lines.element);
  const section = h("section", { className: "panel-section" }, h("h2", {}, "3-D"), h("div", { className: "volume-head" }, shown.element, h("div", { className: "spacer" }), reset), more);

  const fillPresets = (state: State) => {
    const edited = h("option", { value: "*" }, "Edited");
    edited.hidden = true;
    preset.replaceChildren(
      ...(sceneOf(state)?.presets ?? []).map(({ name, purpose }) => h("option", { value: name, title: purpose }, name === "" ? "Automatic" : name)),
      edited,
    );
  };
  let scene: unknown;
  store.watchAny(
    (s) => [s.volume, s.scenes, s.view.image, s.images, s.layers, s.view.labelsShown, s.panel.device],
    () => {
      const state = store.get();
      section.hidden = !isVolume(shownImage(state));
      const { volume } = state;
      shown.input.checked = volume.shown;
      more.hidden = !volume.shown;
      if (section.hidden || !volume.shown) return;
      if (sceneOf(state) !== scene) fillPresets(state);
      scene = sceneOf(state);
      mode.value = volume.mode;
      preset.value = volume.transfer ? "*" : volume.preset;
      iso.value = volume.iso === null ? "" : String(volume.iso);
      const histogram = sceneOf(state)?.histogram;
      const transfer = transferOf(state);
      const isEdited = volume.mode === "composite" && !!histogram && !!transfer;
      presetField.hidden = editor.element.hidden = !isEdited;
      isoField.hidden = volume.mode !== "isosurface";
      if (isEdited) editor.update(histogram, transfer);
      shading.input.checked = volume.shading;
      shading.input.disabled = volume.mode === "mip" || volume.mode === "average";
      labels.input.checked = volume.labels;
      labels.element.hidden = state.layers.length === 0;
      clip.update(state);
      lines.update();
    },
  );
  return section;
}
