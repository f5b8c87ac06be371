// Everything by keyboard, and the list of keys.

import { h, textButton } from "./dom.ts";
import { isLabelTool, useAtCrosshair } from "./labels/drag.ts";
import type { LabelEditor } from "./labels/editor.ts";
import { openSaveDialog } from "./labels/export.ts";
import { changeBrush, scaleBrush } from "./labels/panel.ts";
import type { Jobs } from "./operations/jobs.ts";
import { closeOperation, focusSearch } from "./operations/panel.ts";
import { addSeed, removeSeed, selectLabel } from "./seeds/seeds.ts";
import { activeChannel, centerCrosshair, changeChannel, fit, moveAlong, moveInTime, viewsOf, zoomAt } from "./slices/navigate.ts";
import type { Panes } from "./slices/panes.ts";
import { panSlide } from "./slide/pane.ts";
import { isVolume } from "./volume/look.ts";
import { volumeIndex } from "./volume/pane.ts";
import { isSlide } from "./store/wire.ts";
import { type AppStore, type LabelTool, type Tool, setView, shownImage } from "./store/state.ts";

interface Key {
  keys: string[]; // as KeyboardEvent.key, with "Shift+" where it counts
  shown: string;
  what: string;
  run(event: KeyboardEvent): void;
}
interface Group {
  title: string;
  keys: Key[];
}

function movement(store: AppStore, panes: Panes): Key[] {
  const along = (side: "across" | "down", sign: number) => () => {
    const image = shownImage(store.get());
    if (isSlide(image)) return panSlide(store, image, side === "across" ? sign : 0, side === "down" ? sign : 0);
    const pane = panes.active();
    const view = viewsOf(store).find((v) => v.normal === pane?.normal);
    if (view) moveAlong(store, view[side].axis, view[side].flipped ? -sign : sign);
  };
  const slices = (count: number) => () => {
    const pane = panes.active();
    if (pane) moveAlong(store, pane.normal, count);
  };
  return [
    { keys: ["ArrowLeft"], shown: "← → ↑ ↓", what: "move the cross-hair by a voxel", run: along("across", -1) },
    { keys: ["ArrowRight"], shown: "", what: "", run: along("across", 1) },
    { keys: ["ArrowUp"], shown: "", what: "", run: along("down", -1) },
    { keys: ["ArrowDown"], shown: "", what: "", run: along("down", 1) },
    { keys: ["PageUp", "."], shown: "Page ↑, .", what: "next slice", run: slices(1) },
    { keys: ["PageDown", ","], shown: "Page ↓, ,", what: "previous slice", run: slices(-1) },
    { keys: ["Shift+PageUp", ">"], shown: "Shift + Page ↑", what: "ten slices on", run: slices(10) },
    { keys: ["Shift+PageDown", "<"], shown: "Shift + Page ↓", what: "ten slices back", run: slices(-10) },
    { keys: ["Home"], shown: "Home, End", what: "first and last slice", run: slices(-(2 ** 31)) },
    { keys: ["End"], shown: "", what: "", run: slices(2 ** 31) },
    { keys: ["t"], shown: "t, Shift + t", what: "next and previous time", run: () => moveInTime(store, store.get().view.t + 1) },
    { keys: ["Shift+T"], shown: "", what: "", run: () => moveInTime(store, store.get().view.t - 1) },
  ];
}

function looks(store: AppStore, panes: Panes): Key[] {
  const main = (index: number) => () => {
    const isThere = index === volumeIndex ? isVolume(shownImage(store.get())) && store.get().volume.shown : index < viewsOf(store).length;
    if (!isThere) return;
    setView(store, { main: index });
    panes.focus(index);
  };
  const zoom = (factor: number) => () => zoomAt(store, factor, store.get().view.at);
  const resetWindow = () => {
    const index = activeChannel(store);
    const window = shownImage(store.get())?.channels[index]?.window;
    if (window) changeChannel(store, index, { window });
  };
  const turn = () =>
    setView(store, { convention: store.get().view.convention === "radiological" ? "neurological" : "radiological" });
  return [
    { keys: ["1"], shown: "1, 2, 3, 4", what: "which pane is large", run: main(0) },
    { keys: ["2"], shown: "", what: "", run: main(1) },
    { keys: ["3"], shown: "", what: "", run: main(2) },
    { keys: ["4"], shown: "", what: "", run: main(volumeIndex) },
    { keys: ["m"], shown: "m", what: "this slice alone, or all", run: () => panes.active()?.maximize() },
    { keys: ["+", "="], shown: "+, −", what: "zoom about the cross-hair", run: zoom(1.25) },
    { keys: ["-"], shown: "", what: "", run: zoom(1 / 1.25) },
    { keys: ["0"], shown: "0", what: "fit into the panes", run: () => fit(store) },
    { keys: ["f"], shown: "f", what: "center on the cross-hair", run: () => centerCrosshair(store) },
    { keys: ["x"], shown: "x", what: "cross-hair on and off", run: () => setView(store, { crosshair: !store.get().view.crosshair }) },
    { keys: ["c"], shown: "c", what: "radiological or neurological", run: turn },
    { keys: ["w"], shown: "w", what: "first window again", run: resetWindow },
  ];
}

function labels(store: AppStore): Key[] {
  const opacity = (by: number) => () =>
    setView(store, { labelOpacity: Math.min(1, Math.max(0, Number((store.get().view.labelOpacity + by).toFixed(2)))) });
  return [
    { keys: [" "], shown: "Space", what: "labels on and off", run: () => setView(store, { labelsShown: !store.get().view.labelsShown }) },
    {
      keys: ["o"],
      shown: "o",
      what: "labels filled or as outlines",
      run: () => setView(store, { labelStyle: store.get().view.labelStyle === "fill" ? "outline" : "fill" }),
    },
    { keys: ["["], shown: "[, ]", what: "less and more opacity", run: opacity(-0.1) },
    { keys: ["]"], shown: "", what: "", run: opacity(0.1) },
  ];
}

/** A tool, or the cross-hair where it was on already. */
function toggleTool(store: AppStore, name: Tool): void {
  store.set((state) => ({ tool: state.tool === name ? "point" : name, boxDraft: null }));
}

function editing(store: AppStore, panes: Panes, editor: LabelEditor): Key[] {
  const tool = (name: LabelTool) => () => {
    if (store.get().editing) toggleTool(store, name);
  };
  const brush = (change: () => void) => () => {
    if (store.get().editing) change();
  };
  const atCrosshair = () => {
    const pane = panes.active();
    if (!isLabelTool(store.get().tool)) return addSeed(store, store.get().view.at);
    if (pane) useAtCrosshair(editor, store, pane.normal, (at) => pane.valuesAt(at).labels);
  };
  return [
    { keys: ["d"], shown: "d, e", what: "brush and eraser", run: tool("brush") },
    { keys: ["e"], shown: "", what: "", run: tool("eraser") },
    { keys: ["g"], shown: "g", what: "box: drag, or two corners by Enter", run: tool("box") },
    { keys: ["a"], shown: "a", what: "component tool: gives it the chosen label", run: tool("component") },
    { keys: ["k"], shown: "k", what: "in the slice or in 3-D", run: brush(() => changeBrush(store, { ball: !store.get().brush.ball })) },
    { keys: ["{", "Shift+{"], shown: "{, }", what: "smaller and larger brush", run: brush(() => scaleBrush(store, 0.8)) },
    { keys: ["}", "Shift+}"], shown: "", what: "", run: brush(() => scaleBrush(store, 1.25)) },
    { keys: ["Enter"], shown: "Enter", what: "tool, or seed, at the cross-hair", run: atCrosshair },
    { keys: ["Ctrl+z"], shown: "Ctrl + z", what: "undo", run: () => editor.undo() },
    { keys: ["Ctrl+Shift+z", "Ctrl+y"], shown: "Ctrl + Shift + z", what: "redo", run: () => editor.redo() },
    { keys: ["Ctrl+s"], shown: "Ctrl + s", what: "save the labels", run: () => openSaveDialog(store, editor) },
  ];
}

function work(store: AppStore, jobs: Jobs, panes: Panes): Key[] {
  const tool = (name: Tool) => () => toggleTool(store, name);
  const removeSelected = () => {
    const { selectedSeed, seeds } = store.get();
    const id = selectedSeed ?? seeds.at(-1)?.id;
    if (id !== undefined) removeSeed(store, id);
  };
  return [
    { keys: ["s"], shown: "s", what: "seed tool: clicks set seeds", run: tool("seed") },
    { keys: ["Delete", "Backspace"], shown: "Delete", what: "delete the selected or last seed", run: removeSelected },
    { keys: ["l"], shown: "l, Shift + l", what: "next and previous label", run: () => selectLabel(store, store.get().activeLabel + 1) },
    { keys: ["Shift+L"], shown: "", what: "", run: () => selectLabel(store, store.get().activeLabel - 1) },
    { keys: ["p"], shown: "p", what: "pan tool", run: tool("pan") },
    { keys: ["b"], shown: "b", what: "brightness tool", run: tool("window") },
    { keys: ["/"], shown: "/", what: "search operations", run: search },
    { keys: ["r"], shown: "r", what: "run the operation", run: () => void jobs.run() },
    { keys: ["Escape"], shown: "Esc", what: "cancel the job; back to the slices", run: () => (jobs.cancel(), store.set({ boxDraft: null }), panes.focus(store.get().view.main)) },
  ];

  function search(event: KeyboardEvent): void {
    event.preventDefault();
    if (store.get().panel.operation !== null)
      closeOperation(store);
    focusSearch();
  }
}

const volumeKeys: [string, string][] = [
  ["← → ↑ ↓, drag", "turn the volume"],
  ["Page ↑, Page ↓", "turn the picture"],
  ["Shift + arrows, right drag", "move it"],
  ["+, −, wheel", "zoom"],
  ["Ctrl + drag", "transfer function: sideways its width, up and down its place"],
  ["0", "the first view again"],
  ["Click, Enter", "cross-hair, or a seed, to what is seen"],
];
const mouse: [string, string][] = [
  ["Click, drag", "move the cross-hair"],
  ["Wheel", "slices; zoom of a picture"],
  ["Ctrl + wheel", "zoom about the pointer"],
  ["Shift + drag, middle button", "pan"],
  ["Right drag", "window: sideways its width, up and down its level"],
  ["Double click", "this slice alone, or all"],
];

const slideKeys: [string, string][] = [
  ["Drag, ← → ↑ ↓", "move the slide"],
  ["Wheel, double click, +, −", "zoom"],
  ["0", "all of the slide"],
];

function keysDialog(groups: readonly Group[]): HTMLDialogElement {
  const table = (title: string, rows: readonly (readonly [string, string])[]) =>
    h(
      "section",
      {},
      h("h3", {}, title),
      h("dl", {}, ...rows.flatMap(([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)])),
    );
  const dialog = h(
    "dialog",
    { className: "dialog keys-dialog", attrs: { "aria-labelledby": "keys-title" } },
    h("h2", { id: "keys-title" }, "Keys and mouse"),
    h(
      "div",
      { className: "keys-columns" },
      ...groups.map((group) => table(group.title, group.keys.filter((k) => k.shown).map((k) => [k.shown, k.what] as const))),
      table("Mouse", mouse),
      table("In 3-D", volumeKeys),
      table("On slides", slideKeys),
    ),
    h("div", { className: "button-row end" }, textButton("Close", () => dialog.close(), "primary")),
  );
  return dialog;
}

/** Whether keys go into a field. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && !["checkbox", "radio", "range", "color"].includes(target.type);
  return isText || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Keys with which a control itself does something. */
function belongsTo(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement) || target instanceof HTMLCanvasElement) return false;
  const isControl = target.closest("button, summary, a, input, code") !== null;
  return isControl && (key === " " || key === "Enter" || key.startsWith("Arrow") || key === "Home" || key === "End" || key.startsWith("Page"));
}

/** "Ctrl+Shift+z" */
function nameOf(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey) return `Ctrl+${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}`;
  return event.shiftKey ? `Shift+${event.key}` : event.key;
}

export function listenToKeys(store: AppStore, panes: Panes, jobs: Jobs, editor: LabelEditor): { help(): void } {
  const groups: Group[] = [
    { title: "Slices", keys: movement(store, panes) },
    { title: "View", keys: looks(store, panes) },
    { title: "Labels", keys: labels(store) },
    { title: "Edit labels", keys: editing(store, panes, editor) },
    { title: "Seeds and operations", keys: work(store, jobs, panes) },
  ];
  const dialog = keysDialog(groups);
  document.body.append(dialog);
  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  groups.at(-1)?.keys.push({ keys: ["h", "?", "F1"], shown: "h", what: "this list", run: (event) => (event.preventDefault(), help()) });
  const byKey = new Map(groups.flatMap((group) => group.keys.flatMap((key) => key.keys.map((name) => [name, key] as const))));

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    if (belongsTo(event.target, event.key)) return;
    if (dialog.open && event.key !== "h") return;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = byKey.get(nameOf(event)) ?? (isCommand ? undefined : byKey.get(event.key));
    if (!key || (isCommand && !store.get().editing)) return;
    if (isCommand || event.key.length > 1 || event.key === " ") event.preventDefault();
    key.run(event);
  });
  return { help };
}
