// The list of open images: which one is looked at, and which label maps lie over it.

import { h, iconButton, keepFocus, setIcon } from "../dom.ts";
import { liesOn } from "../slide/label_layer.ts";
import { type AppStore, type Layer, sameGrid, shownImage } from "../store/state.ts";
import type { ImageInfo, ListedImage } from "../store/wire.ts";

/** "181 × 217 × 181 · uint8 · 1 mm" */
export function factsOf(image: ImageInfo): string {
  const { x, y, z, t } = image.shape;
  const size = [x, y, ...(z > 1 ? [z] : []), ...(t > 1 ? [`${t} t`] : [])].join(" × ");
  const sides = (z > 1 ? image.spacing : image.spacing.slice(0, 2)).map((s) => Number(s.toPrecision(3)));
  const spacing = new Set(sides).size === 1 ? sides[0] : sides.join(" × ");
  const unit = image.unit.replace("um", "µm");
  const channels = image.is_color ? "color" : image.shape.channels > 1 ? `${image.shape.channels} channels` : "";
  return [size, image.pixel_type, channels, image.has_geometry && `${spacing} ${unit}`].filter(Boolean).join(" · ");
}

export function toggleLayer(store: AppStore, image: number): void {
  store.set((state) => ({
    layers: state.layers.map((layer) => (layer.image === image ? { ...layer, shown: !layer.shown } : layer)),
  }));
}

/** A label map over the images with the same voxels; in the place of another one where the slot is taken. */
export function addLayer(store: AppStore, layer: Layer): void {
  store.set((state) => {
    const others = state.layers.filter((other) => other.image !== layer.image);
    const replaces = others.some((other) => other.slot === layer.slot);
    return {
      layers: replaces ? others.map((other) => (other.slot === layer.slot ? layer : other)) : [...others, layer],
    };
  });
}

/** `look` looks at an image, which may be a file that was not read yet. */
export function imagesPanel(store: AppStore, look: (id: number) => void): HTMLElement {
  const list = h("ul", { className: "image-list" });
  const row = (listed: ListedImage): HTMLElement => {
    const state = store.get();
    const image = state.images.get(listed.id);
    const problem = state.unreadable.get(listed.id);
    const shown = shownImage(state);
    const layer = state.layers.find((l) => l.image === listed.id);
    const isShown = listed.id === state.view.image;
    const choose = h(
      "button",
      {
        type: "button",
        className: "image-row",
        attrs: { "aria-pressed": String(isShown) },
        on: { click: () => look(listed.id) },
      },
      h("span", { className: "image-name" }, listed.name),
      image ? h("span", { className: "image-facts" }, factsOf(image)) : null,
      problem ? h("span", { className: "problem" }, problem) : null,
      ...(image?.warnings ?? []).map((warning) => h("span", { className: "warning" }, warning)),
    );
    const lies = layer && image && shown && !isShown && (sameGrid(image, shown) || liesOn(shown, image));
    const eye =
      lies && iconButton(layer.shown ? "eye" : "hidden", `Show ${listed.name} over the image`, () => toggleLayer(store, listed.id));
    if (eye) {
      eye.setAttribute("aria-pressed", String(layer.shown));
      setIcon(eye, layer.shown ? "eye" : "hidden");
    }
    const className = `${isShown ? "is-shown" : ""} ${listed.of === null ? "" : "is-result"}`;
    return h("li", { className }, choose, eye || null);
  };
  store.watchAny(
    (state) => [state.listed, state.images, state.unreadable, state.view.image, state.layers],
    () => {
      // Results below the image on whose grid they lie.
      const images = [...store.get().listed].sort((a, b) => (a.of ?? a.id) - (b.of ?? b.id) || a.id - b.id);
      keepFocus(list, () => list.replaceChildren(...images.map(row)));
    },
  );
  return h("section", { className: "panel-section" }, h("h2", {}, "Images"), list);
}
