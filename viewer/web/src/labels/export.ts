// Saving labels, and what others make of them: a table, a picture of the labels, a picture of the page.

import { h, textButton } from "../dom.ts";
import { saveForm } from "../panels/save_form.ts";
import type { Client, SaveOptions, Saved } from "../session/client.ts";
import { type AppStore, shownImage } from "../store/state.ts";
import type { ImageInfo } from "../store/wire.ts";
import type { LabelEditor } from "./editor.ts";

/** "head-labels" of "head.nii.gz" */
export function stemOf(name: string): string {
  const stem = name.replace(/^labels (\d+ )?of /, "").replace(/ \(edited( \d+)?\)$/, "").replace(/\.gz$/, "").replace(/\.[^.]+$/, "").replace(/\.(ome|seg)$/, "");
  return `${stem.replaceAll(/[/\\]/g, "-") || "image"}-labels`;
}

/** What files of labels are called: as the image that they lie on. */
function stemFor(store: AppStore, image: ImageInfo): string {
  return stemOf(store.get().images.get(image.of ?? -1)?.name ?? image.name);
}

export function suggestedFile(store: AppStore, image: ImageInfo): string {
  return stemFor(store, image) + (image.shape.z > 1 || image.shape.t > 1 ? ".nii.gz" : ".tif");
}

function openDialog(title: string, name: string, save: (name: string, options: SaveOptions) => Promise<Saved>): void {
  const dialog = h(
    "dialog",
    { className: "dialog save-dialog", attrs: { "aria-label": title }, on: { close: () => dialog.remove() } },
    h("h2", {}, title),
    saveForm(title, name, save),
    h("div", { className: "button-row end" }, textButton("Close", () => dialog.close())),
  );
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("input")?.select();
}

/** The slices as they are on the screen, as a file of the browser. */
function takeScreenshot(name: string): void {
  const area = document.querySelector(".panes")?.getBoundingClientRect();
  if (!area) return;
  const ratio = devicePixelRatio;
  const picture = h("canvas", { width: Math.round(area.width * ratio), height: Math.round(area.height * ratio) });
  const context = picture.getContext("2d") as CanvasRenderingContext2D;
  context.fillRect(0, 0, picture.width, picture.height);
  for (const canvas of document.querySelectorAll<HTMLCanvasElement>(".panes canvas")) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    context.drawImage(canvas, (left - area.left) * ratio, (top - area.top) * ratio, width * ratio, height * ratio);
  }
  picture.toBlob((blob) => {
    if (!blob) return;
    const link = h("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

export function openSaveDialog(store: AppStore, editor: LabelEditor): void {
  const image = editor.image();
  if (image && store.get().session?.can_save)
    openDialog("Save labels", suggestedFile(store, image), (name, options) => editor.save(name, options));
}

export function exportRow(store: AppStore, client: Client, editor: LabelEditor): HTMLElement {
  const ofLabels = (what: "table" | "overlay", title: string, suffix: string) => {
    const image = editor.image();
    const shown = shownImage(store.get());
    if (!image) return;
    // Of itself a label map has no values.
    const measured = shown && shown.id !== image.id ? shown.id : null;
    openDialog(title, stemFor(store, image) + suffix, (name, options) => client.saveOfLabels(image.id, what, name, measured, options));
  };
  const save = textButton("Save…", () => openSaveDialog(store, editor), "small primary");
  const table = textButton("Table…", () => ofLabels("table", "Save a table of the labels", ".csv"), "small");
  const overlay = textButton("Picture…", () => ofLabels("overlay", "Save a picture of the labels", ".png"), "small");
  const picture = () => {
    const image = editor.image();
    if (image) takeScreenshot(`${stemFor(store, image)}.png`);
  };
  const screenshot = textButton("Screenshot", picture, "small");
  const hint = h("p", { className: "hint" }, "Start the viewer with --save-to FOLDER to save labels.");
  store.watch((state) => state.session?.can_save === true, (can) => {
    for (const button of [save, table, overlay]) button.hidden = !can;
    hint.hidden = can;
  });
  return h("div", { className: "label-export" }, h("div", { className: "button-row" }, save, table, overlay, screenshot), hint);
}
