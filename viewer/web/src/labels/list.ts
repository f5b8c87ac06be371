// The list of labels: search, number, name, color, volume, which are shown, and where they are.

import { colorText, labelColor } from "../colors/labels.ts";
import { h, iconButton, keepFocus, setIcon } from "../dom.ts";
import { selectLabel } from "../seeds/seeds.ts";
import { type Client, textOf } from "../session/client.ts";
import { moveTo } from "../slices/navigate.ts";
import { type AppStore, setView } from "../store/state.ts";
import type { LabelRow } from "../store/wire.ts";
import type { LabelEditor } from "./editor.ts";
import { sizeText } from "./sizes.ts";

const searchAfter = 200; // ms of rest

async function goTo(store: AppStore, client: Client, label: number): Promise<void> {
  const { editing } = store.get();
  if (!editing) return;
  try {
    const { at, t } = await client.placeOfLabel(editing.id, label);
    moveTo(store, at);
    setView(store, { t });
  } catch (error) {
    store.set({ labelProblem: textOf(error) });
  }
}

function toggle(store: AppStore, label: number): void {
  const hidden = new Set(store.get().hiddenLabels);
  if (!hidden.delete(label)) hidden.add(label);
  store.set({ hiddenLabels: hidden });
}

function rowOf(store: AppStore, client: Client, editor: LabelEditor, row: LabelRow): HTMLElement {
  const { activeLabel, hiddenLabels } = store.get();
  const { label } = row;
  const called = row.name || `label ${label}`;
  const isHidden = hiddenLabels.has(label);
  const image = editor.image();
  const color = h("input", {
    type: "color",
    value: row.color,
    attrs: { "aria-label": `Color of ${called}` },
    on: { change: () => void editor.send({ edit: "describe", label, color: color.value }) },
  });
  const choose = h(
    "button",
    {
      type: "button",
      className: "label-button",
      title: "Paint with this label",
      attrs: { "aria-pressed": String(label === activeLabel), "aria-label": `Paint with ${called}` },
      on: { click: () => selectLabel(store, label) },
    },
    String(label),
  );
  const name = h("input", {
    type: "text",
    value: row.name,
    title: row.name,
    placeholder: "name",
    spellcheck: false,
    maxLength: 100,
    attrs: { "aria-label": `Name of label ${label}` },
    on: { change: () => void editor.send({ edit: "describe", label, name: name.value }) },
  });
  const eye = iconButton(isHidden ? "hidden" : "eye", `Show ${called}`, () => toggle(store, label), "small");
  eye.setAttribute("aria-pressed", String(!isHidden));
  setIcon(eye, isHidden ? "hidden" : "eye");
  const place = iconButton("point", `Go to ${called}`, () => void goTo(store, client, label), "small");
  place.disabled = row.points === 0;
  const volume = h("span", { className: "hint label-volume" }, image ? sizeText(image, row.points) : "");
  return h("li", { attrs: { "data-label": String(label) } }, color, choose, name, eye, place, volume);
}

export function labelList(store: AppStore, client: Client, editor: LabelEditor): HTMLElement {
  const search = h("input", {
    type: "search",
    placeholder: "Search labels",
    attrs: { "aria-label": "Search labels" },
    on: {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(() => editor.find(search.value), searchAfter);
      },
    },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const list = h("ul", { className: "labels-list" });
  const more = h("p", { className: "hint" });
  const add = iconButton("add", "New label", () => {
    const { editing } = store.get();
    if (editing) selectLabel(store, editing.next);
  });
  store.watchAny(
    (state) => [state.editing, state.activeLabel, state.hiddenLabels],
    () => {
      const { editing, activeLabel } = store.get();
      if (!editing) return;
      const rows = [...editing.labels];
      // One that nobody painted yet is in the list as soon as it is chosen.
      if (search.value === "" && !rows.some((row) => row.label === activeLabel) && editing.count === rows.length)
        rows.push({ label: activeLabel, name: "", color: colorText(labelColor(activeLabel)), points: 0 });
      keepFocus(list, () => list.replaceChildren(...rows.map((row) => rowOf(store, client, editor, row))));
      more.textContent = editing.count > rows.length ? `${rows.length} of ${editing.count} labels` : "";
    },
  );
  store.watch((state) => state.editing?.id, () => void (search.value = ""));
  return h("div", { className: "labels-block" }, h("div", { className: "labels-search" }, search, add), list, more);
}
