// The list of what jobs made: figures, warnings, command lines, and what can be done with it.

import { h, iconButton, keepFocus, setIcon, textButton } from "../dom.ts";
import { saveForm } from "../panels/save_form.ts";
import type { Client } from "../session/client.ts";
import { showImage } from "../slices/navigate.ts";
import { toggleLayer } from "../panels/images.ts";
import type { AppStore, Result } from "../store/state.ts";
import type { ImageInfo } from "../store/wire.ts";
import { titleOf } from "./form.ts";
import type { Jobs } from "./jobs.ts";

/** "0.18 s", "12 s", "3 min 5 s" */
export function secondsText(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A figure as people read it: long lists are cut. */
export function figureText(value: unknown): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? value.toLocaleString("en-US") : String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) {
    const shown = value.slice(0, 6).map(figureText).join(", ");
    return value.length > 6 ? `${shown}, … (${value.length})` : shown;
  }
  if (value !== null && typeof value === "object")
    return Object.entries(value).map(([name, part]) => `${name} ${figureText(part)}`).join(", ");
  return String(value);
}

/** "head.nii.gz" and "grow tolerance" give "head-grow-tolerance.nii.gz". */
export function suggestedName(image: ImageInfo, source: ImageInfo | undefined, operation: string): string {
  const name = source?.name ?? image.name;
  const stem = name.replace(/\.gz$/, "").replace(/\.[^.]+$/, "").replace(/\.(ome|seg)$/, "") || "result";
  const suffix = image.shape.z > 1 || image.shape.t > 1 ? ".nii.gz" : ".tif";
  return `${stem}-${operation.replaceAll(" ", "-")}${suffix}`;
}

/** A line with a button that copies it. */
export function copyLine(title: string, text: string): HTMLElement {
  const code = h("code", { tabIndex: 0, attrs: { "aria-label": title } }, text);
  const button = iconButton("copy", `Copy the ${title}`, () => {
    void navigator.clipboard.writeText(text).then(
      () => {
        button.classList.add("is-done");
        setTimeout(() => button.classList.remove("is-done"), 1200);
      },
      () => getSelection()?.selectAllChildren(code), // where the browser refuses: at least marked
    );
  });
  return h("div", { className: "copy-line" }, code, button);
}

function outputRow(store: AppStore, client: Client, result: Result, output: string, id: number): HTMLElement | null {
  const { images, layers, session } = store.get();
  const image = images.get(id);
  if (!image) return null;
  const layer = layers.find((l) => l.image === id);
  const source = images.get(image.of ?? -1);
  const form = saveForm(image.name, suggestedName(image, source, result.operation), (name, options) => client.saveImage(id, name, options));
  form.hidden = true;
  const show = layer
    ? iconButton(layer.shown ? "eye" : "hidden", `Show ${output}`, () => toggleLayer(store, id))
    : textButton("Show", () => showImage(store, id), "small");
  if (layer) {
    show.setAttribute("aria-pressed", String(layer.shown));
    setIcon(show, layer.shown ? "eye" : "hidden");
  }
  const save = session?.can_save
    ? iconButton("save", `Save ${output}…`, () => {
        form.hidden = !form.hidden;
        if (!form.hidden) form.querySelector("input")?.focus();
      })
    : null;
  return h("div", { className: "output" }, h("div", { className: "output-row" }, show, h("span", {}, output), save), form);
}

function figures(result: Result): HTMLElement | null {
  const all = Object.entries(result.job.figures ?? {});
  const { text } = result.job;
  if (all.length === 0 && !text) return null;
  return h(
    "details",
    {},
    h("summary", {}, "Figures"),
    h("dl", { className: "figures" }, ...all.flatMap(([name, value]) => [
      h("dt", {}, name.replaceAll("_", " ")),
      h("dd", {}, figureText(value)),
    ])),
    text ? h("pre", {}, text) : null,
  );
}

function cellText(cell: number | string | boolean | null): string {
  return typeof cell === "number" ? figureText(cell) : cell === null ? "" : String(cell);
}

function tables(result: Result): HTMLElement[] {
  return Object.entries(result.job.tables ?? {}).map(([name, { columns, rows, count }]) =>
    h(
      "details",
      {},
      h("summary", {}, `${titleOf(name)}: ${count} ${count === 1 ? "row" : "rows"}`),
      h(
        "div",
        { className: "table", tabIndex: 0, attrs: { role: "region", "aria-label": titleOf(name) } },
        h(
          "table",
          {},
          h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { attrs: { scope: "col" } }, column)))),
          h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cellText(cell)))))),
        ),
      ),
      count > rows.length ? h("p", { className: "hint" }, `The first ${rows.length} rows.`) : null,
    ),
  );
}

function lines(result: Result): HTMLElement | null {
  const { command, python } = result.job;
  if (!command && !python) return null;
  return h(
    "details",
    { className: "lines" },
    h("summary", {}, "Command and Python"),
    command ? copyLine("command", command) : null,
    python ? copyLine("Python line", python) : null,
  );
}

function resultCard(store: AppStore, client: Client, jobs: Jobs, result: Result): HTMLElement {
  const { job } = result;
  const outputs = Object.entries(job.outputs ?? {}).map(([name, id]) => outputRow(store, client, result, name, id));
  const head = h(
    "div",
    { className: "result-head" },
    h("h3", {}, result.operation),
    result.old && h("span", { className: "badge" }, "old"),
    h("span", { className: "hint" }, job.seconds === undefined ? "" : secondsText(job.seconds)),
    result.live && iconButton("keep", "Keep this result: the next one does not replace it", () => jobs.releaseLive(), "small"),
    iconButton("remove", `Delete the result of ${result.operation}`, () => void jobs.forget(result), "small"),
  );
  return h(
    "li",
    { className: result.old ? "result is-old" : "result", attrs: { "data-job": String(job.job) } },
    head,
    job.summary ? h("p", { className: "summary" }, job.summary) : null,
    ...(job.warnings ?? []).map((warning) => h("p", { className: "warning" }, warning)),
    ...outputs,
    figures(result),
    ...tables(result),
    lines(result),
  );
}

export function resultsPanel(store: AppStore, client: Client, jobs: Jobs): HTMLElement {
  const list = h("ul", { className: "results" });
  const cards = new Map<number, { result: Result; element: HTMLElement; state: readonly unknown[] }>();
  const update = () => {
    const { results, layers, images } = store.get();
    const elements = results.map((result) => {
      const ids = Object.values(result.job.outputs ?? {});
      const state = [result, ...ids.flatMap((id) => [images.get(id), layers.find((l) => l.image === id)])];
      const held = cards.get(result.job.job);
      if (held && held.state.length === state.length && state.every((part, i) => part === held.state[i])) return held.element;
      const element = resultCard(store, client, jobs, result);
      // What is opened stays open, also where a result takes the place of another one.
      const before = held ?? [...cards.values()].find((card) => card.result.live && result.live);
      const opened = before ? [...before.element.querySelectorAll("details")].map((d) => d.open) : [];
      element.querySelectorAll("details").forEach((details, i) => (details.open = opened[i] ?? false));
      cards.set(result.job.job, { result, element, state });
      return element;
    });
    for (const [job] of cards) if (!results.some((result) => result.job.job === job)) cards.delete(job);
    const isSame = elements.length === list.children.length && elements.every((element, i) => element === list.children[i]);
    if (!isSame) keepFocus(list, () => list.replaceChildren(...elements));
  };
  store.watchAny((state) => [state.results, state.layers, state.images, state.session], update);
  const section = h("section", { className: "panel-section results-panel", attrs: { "aria-label": "Results" } }, h("h2", {}, "Results"), list);
  store.watch((state) => state.results.length > 0, (any) => void (section.hidden = !any));
  return section;
}
