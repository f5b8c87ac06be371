// The panel of labels that are edited: where they come from, tools, the list, and what becomes of them.

import { h, icon, iconButton, labeled, textButton } from "../dom.ts";
import type { Client } from "../session/client.ts";
import { type AppStore, type Brush, type LabelTool, sameGrid, shownImage } from "../store/state.ts";
import { axisNames, type ImageInfo } from "../store/wire.ts";
import { viewsOf } from "../slices/navigate.ts";
import type { LabelEditor } from "./editor.ts";
import { exportRow } from "./export.ts";
import { labelList } from "./list.ts";
import { unitOf, usualSize } from "./sizes.ts";

/** Label maps on the grid of the shown image. */
function mapsOf(store: AppStore): ImageInfo[] {
  const { images } = store.get();
  const shown = shownImage(store.get());
  return [...images.values()].filter((image) => image.role === "labels" && shown && sameGrid(image, shown));
}

/** Which labels to begin with: empty ones, a copy of others, or some that are edited already. */
function startSection(store: AppStore, editor: LabelEditor): HTMLElement {
  const select = h("select", {});
  const begin = () => {
    const image = store.get().images.get(Number(select.value));
    if (image?.editable) return void editor.choose(image.id);
    void editor.begin(select.value === "" ? null : Number(select.value));
  };
  store.watchAny(
    (state) => [state.images, state.view.image],
    () => {
      const chosen = select.value;
      select.replaceChildren(
        h("option", { value: "" }, "empty labels"),
        ...mapsOf(store).map((image) => h("option", { value: String(image.id) }, image.editable ? image.name : `a copy of ${image.name}`)),
      );
      select.value = [...select.options].some((option) => option.value === chosen) ? chosen : "";
    },
  );
  return h("div", { className: "label-start" }, labeled("Edit", select), textButton("Begin", begin, "label-begin"));
}

const tools: readonly (readonly [LabelTool, "brush" | "eraser" | "box" | "component", string])[] = [
  ["brush", "brush", "Brush (d)"],
  ["eraser", "eraser", "Eraser (e)"],
  ["box", "box", "Box (g)"],
  ["component", "component", "Take a component (a)"],
];

function toolButtons(store: AppStore): HTMLElement {
  const buttons = tools.map(([tool, drawing, label]) => ({
    tool,
    button: iconButton(drawing, label, () => store.set((state) => ({ tool: state.tool === tool ? "point" : tool, boxDraft: null }))),
  }));
  store.watch((state) => state.tool, (now) => {
    for (const { tool, button } of buttons) button.setAttribute("aria-pressed", String(tool === now));
  });
  return h("div", { className: "tools", attrs: { role: "group", "aria-label": "Tools of labels" } }, ...buttons.map((b) => b.button));
}

export function changeBrush(store: AppStore, change: Partial<Brush>): void {
  store.set((state) => ({ brush: { ...state.brush, ...change } }));
}

/** Larger or smaller by a quarter. */
export function scaleBrush(store: AppStore, factor: number): void {
  const { brush } = store.get();
  changeBrush(store, { size: Number(Math.min(Math.max(brush.size * factor, 1e-3), 1e4).toPrecision(3)) });
}

function brushFields(store: AppStore, editor: LabelEditor): HTMLElement {
  const unit = h("span", { className: "hint" });
  const size = h("input", {
    type: "number",
    className: "number",
    min: "0",
    step: "any",
    title: "How wide brush and eraser are ({ and })",
    attrs: { "aria-label": "Size of the brush" },
    on: {
      change: () => {
        if (size.valueAsNumber > 0) changeBrush(store, { size: Math.min(size.valueAsNumber, 1e4) });
        else size.value = String(store.get().brush.size);
      },
    },
  });
  const ball = h("input", { type: "checkbox", on: { change: () => changeBrush(store, { ball: ball.checked }) } });
  const over = h(
    "select",
    { on: { change: () => changeBrush(store, { over: over.value === "" ? null : over.value === "0" ? 0 : store.get().activeLabel }) } },
    h("option", { value: "" }, "everything"),
    h("option", { value: "0" }, "what has no label"),
    h("option", { value: "active" }, "the chosen label"),
  );
  store.watch((state) => state.brush, (brush) => {
    size.value = String(brush.size);
    ball.checked = brush.ball;
    over.value = brush.over === null ? "" : brush.over === 0 ? "0" : "active";
  });
  store.watch((state) => state.activeLabel, (label) => {
    if ((store.get().brush.over ?? 0) > 0) changeBrush(store, { over: label });
  });
  const is3d = h("label", { className: "check", title: "A ball, or a deep box, instead of one slice (k)" }, ball, "3-D");
  store.watch((state) => state.editing?.id, () => {
    const image = editor.image();
    if (!image) return;
    unit.textContent = unitOf(image);
    is3d.hidden = image.shape.z === 1;
    changeBrush(store, { size: usualSize(image) });
  });
  return h(
    "div",
    { className: "brush-fields" },
    h("div", { className: "brush-row" }, h("span", {}, "Size"), size, unit, is3d),
    labeled("Paint over", over),
  );
}

/** What is done with the chosen label as a whole. */
function labelActions(store: AppStore, editor: LabelEditor): HTMLElement {
  const label = () => store.get().activeLabel;
  const t = () => store.get().view.t;
  const other = h("select", { attrs: { "aria-label": "Label to merge into the chosen one" }, on: { change: () => merge() } });
  const merge = () => {
    if (other.value !== "") void editor.send({ edit: "merge", labels: [Number(other.value)], label: label() });
    other.value = "";
  };
  store.watchAny(
    (state) => [state.editing, state.activeLabel],
    () => {
      const rows = (store.get().editing?.labels ?? []).filter((row) => row.label !== label());
      const focused = document.activeElement === other;
      other.replaceChildren(
        h("option", { value: "" }, "Merge with…"),
        ...rows.map((row) => h("option", { value: String(row.label) }, row.name ? `${row.label} ${row.name}` : String(row.label))),
      );
      if (focused) other.focus();
    },
  );
  const fillSlice = () => {
    const { view } = store.get();
    const plane = viewsOf(store)[view.main] ?? viewsOf(store)[0];
    if (!plane) return;
    void editor.send({ edit: "fill", label: label(), t: t(), across: axisNames[plane.normal], index: view.at[plane.normal] });
  };
  const inSlice = textButton("Fill in slice", fillSlice, "small");
  inSlice.title = "Fills the holes of the chosen label in the large slice";
  store.watch(shownImage, (image) => void (inSlice.hidden = image?.shape.z === 1));
  return h(
    "div",
    { className: "button-row", attrs: { role: "group", "aria-label": "The chosen label" } },
    textButton("Fill holes", () => void editor.send({ edit: "fill", label: label(), t: t() }), "small"),
    inSlice,
    textButton("Split", () => void editor.send({ edit: "split", label: label(), t: t() }), "small"),
    textButton("Delete", () => void editor.send({ edit: "delete", label: label() }), "small"),
    other,
  );
}

/** Labels of a result, or of a file, into those that are edited. */
function takeRow(store: AppStore, editor: LabelEditor): HTMLElement {
  const select = h("select", { attrs: { "aria-label": "Labels to take in" } });
  const take = () => void (select.value !== "" && editor.send({ edit: "take", from: Number(select.value) }));
  const button = textButton("Take in", take, "small");
  button.title = "The labels of the result become part of those that are edited";
  const row = h("div", { className: "take-row" }, select, button);
  store.watchAny(
    (state) => [state.images, state.view.image, state.editing?.id],
    () => {
      const chosen = select.value;
      const maps = mapsOf(store).filter(({ id }) => id !== store.get().editing?.id).reverse();
      select.replaceChildren(...maps.map((image) => h("option", { value: String(image.id) }, image.name)));
      if (maps.some(({ id }) => String(id) === chosen)) select.value = chosen;
      row.hidden = maps.length === 0;
    },
  );
  return row;
}

function headRow(store: AppStore, editor: LabelEditor): HTMLElement {
  const name = h("span", { className: "label-title" });
  const unsaved = h("span", { className: "unsaved", title: "There are edits that are in no file" }, "unsaved");
  const undo = iconButton("undo", "Undo (Ctrl+Z)", () => editor.undo());
  const redo = iconButton("redo", "Redo (Ctrl+Shift+Z)", () => editor.redo());
  const close = iconButton("remove", "Stop editing; the labels stay", () => editor.leave());
  store.watch((state) => state.editing, (editing) => {
    name.textContent = name.title = editor.image()?.name ?? "";
    unsaved.hidden = !editing?.unsaved;
    undo.disabled = !editing?.undo;
    redo.disabled = !editing?.redo;
    undo.title = editing?.undo ? `Undo: ${editing.undo} (Ctrl+Z)` : "Undo (Ctrl+Z)";
    redo.title = editing?.redo ? `Redo: ${editing.redo} (Ctrl+Shift+Z)` : "Redo (Ctrl+Shift+Z)";
  });
  return h("div", { className: "label-head" }, name, unsaved, undo, redo, close);
}

export function labelsPanel(store: AppStore, client: Client, editor: LabelEditor): HTMLElement {
  const problem = h("p", { className: "problem", attrs: { role: "alert" } });
  const start = startSection(store, editor);
  const body = h(
    "div",
    { className: "label-body" },
    headRow(store, editor),
    toolButtons(store),
    brushFields(store, editor),
    labelList(store, client, editor),
    labelActions(store, editor),
    takeRow(store, editor),
    exportRow(store, client, editor),
  );
  store.watch((state) => state.editing !== null, (isEditing) => {
    start.hidden = isEditing;
    body.hidden = !isEditing;
  });
  store.watch((state) => state.labelProblem, (sentence) => void (problem.textContent = sentence ?? ""));
  const title = h("h2", {}, icon("brush"), "Edit labels");
  const section = h("section", { className: "panel-section labels-panel", attrs: { "aria-label": "Edit labels" } }, title, start, body, problem);
  store.watchAny(
    (state) => [state.session?.read_only, state.view.image],
    () => void (section.hidden = store.get().session?.read_only !== false || store.get().view.image === null),
  );
  return section;
}
