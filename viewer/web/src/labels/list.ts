// The list of labels: search, number, name, color, volume, which are shown, and where they are.

import { colorText, labelColor } from "../colors/labels.ts";
import { h, iconButton, nameButton, putChildren, setIcon } from "../dom.ts";
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

/** A row of the list. It stays as long as its label is listed, so that what somebody types there does too. */
interface Row {
  element: HTMLElement;
  show(row: LabelRow): void;
}

function rowOf(store: AppStore, client: Client, editor: LabelEditor, label: number): Row {
  const color = h("input", {
    type: "color",
    on: { change: () => void editor.send({ edit: "describe", label, color: color.value }) },
  });
  const choose = h(
    "button",
    { type: "button", className: "label-button", title: "Paint with this label", on: { click: () => selectLabel(store, label) } },
    String(label),
  );
  const name = h("input", {
    type: "text",
    placeholder: "name",
    spellcheck: false,
    maxLength: 100,
    attrs: { "aria-label": `Name of label ${label}` },
    on: { change: () => void editor.send({ edit: "describe", label, name: name.value }) },
  });
  const eye = iconButton("eye", "", () => toggle(store, label), "small");
  const place = iconButton("point", "", () => void goTo(store, client, label), "small");
  const volume = h("span", { className: "hint label-volume" });
  let known = ""; // name that was shown last
  const show = (row: LabelRow) => {
    const { activeLabel, hiddenLabels } = store.get();
    const called = row.name || `label ${label}`;
    const isHidden = hiddenLabels.has(label);
    const image = editor.image();
    color.value = row.color;
    color.setAttribute("aria-label", `Color of ${called}`);
    choose.setAttribute("aria-pressed", String(label === activeLabel));
    choose.setAttribute("aria-label", `Paint with ${called}`);
    const isTyped = document.activeElement === name && name.value !== known;
    if (!isTyped) name.value = row.name;
    name.title = known = row.name;
    setIcon(eye, isHidden ? "hidden" : "eye");
    nameButton(eye, `Show ${called}`);
    eye.setAttribute("aria-pressed", String(!isHidden));
    nameButton(place, `Go to ${called}`);
    place.disabled = row.points === 0;
    volume.textContent = image ? sizeText(image, row.points) : "";
  };
  const element = h("li", { attrs: { "data-label": String(label) } }, color, choose, name, eye, place, volume);
  return { element, show };
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
  let listed = new Map<number, Row>();
  let image: number | undefined;
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
      const before = image === editing.id ? listed : new Map<number, Row>();
      image = editing.id;
      listed = new Map(rows.map(({ label }) => [label, before.get(label) ?? rowOf(store, client, editor, label)]));
      for (const row of rows) listed.get(row.label)?.show(row);
      putChildren(list, [...listed.values()].map(({ element }) => element));
      more.textContent = editing.count > rows.length ? `${rows.length} of ${editing.count} labels` : "";
    },
  );
  store.watch((state) => state.editing?.id, () => void (search.value = ""));
  return h("div", { className: "labels-block" }, h("div", { className: "labels-search" }, search, add), list, more);
}
