// How the image and the labels are shown: windows, presets, channels, opacity.

import { h, iconButton, labeled, newId, setIcon } from "../dom.ts";
import { changeChannel, shownChannels } from "../slices/navigate.ts";
import { levelOf, presetsOf, rounded } from "../slices/window.ts";
import { type AppStore, type LabelStyle, type Palette, setView, shownImage } from "../store/state.ts";
import { type ImageInfo, type Range, isSlide } from "../store/wire.ts";

function numberField(name: string, change: (value: number) => void): HTMLInputElement {
  return h("input", {
    type: "number",
    step: "any",
    className: "number",
    attrs: { "aria-label": name },
    on: {
      change: (event) => {
        const value = (event.target as HTMLInputElement).valueAsNumber;
        if (Number.isFinite(value)) change(value);
      },
    },
  });
}

/** Window and color of one channel. */
function channelRow(store: AppStore, image: ImageInfo, index: number): { element: HTMLElement; update(): void } {
  const name = image.channels[index]?.name || (image.channels.length > 1 ? `Channel ${index + 1}` : "Window");
  const view = () => shownChannels(store)[index];
  const setWindow = (window: Range) => {
    if (window[0] < window[1]) changeChannel(store, index, { window });
    else update();
  };
  const low = numberField(`${name}: black`, (value) => setWindow([value, view()?.window[1] ?? value]));
  const high = numberField(`${name}: white`, (value) => setWindow([view()?.window[0] ?? value, value]));
  const level = h("span", { className: "hint" });
  const isSeveral = image.channels.length > 1 && !image.is_color;
  const color = h("input", {
    type: "color",
    attrs: { "aria-label": `Color of ${name}` },
    on: { input: (event) => changeChannel(store, index, { color: (event.target as HTMLInputElement).value }) },
  });
  const eye = iconButton("eye", `Show ${name}`, () => changeChannel(store, index, { shown: !view()?.shown }));
  const presets = h(
    "select",
    {
      attrs: { "aria-label": `Preset of ${name}` },
      on: {
        change: () => {
          const preset = presetsOf(image, index)[Number(presets.value)];
          if (preset) setWindow(preset.window);
        },
      },
    },
    h("option", { value: "" }, "Preset…"),
    ...presetsOf(image, index).map((preset, i) => h("option", { value: String(i) }, preset.name)),
  );
  const update = () => {
    const channel = view();
    if (!channel) return;
    const [from, to] = channel.window;
    const chosen = presetsOf(image, index).findIndex((p) => p.window[0] === from && p.window[1] === to);
    low.value = String(rounded(from, to - from));
    high.value = String(rounded(to, to - from));
    presets.value = chosen < 0 ? "" : String(chosen);
    const { level: middle, width } = levelOf(channel.window);
    level.textContent = `L ${rounded(middle, width)}  W ${rounded(width, width)}`;
    color.value = channel.color;
    eye.setAttribute("aria-pressed", String(channel.shown));
    setIcon(eye, channel.shown ? "eye" : "hidden");
  };
  const element = h(
    "div",
    { className: "channel" },
    isSeveral && h("div", { className: "channel-head" }, eye, h("span", { className: "channel-name" }, name), color),
    h("div", { className: "window-row" }, low, h("span", { attrs: { "aria-hidden": "true" } }, "–"), high),
    h("div", { className: "window-row" }, presets, level),
  );
  return { element, update };
}

function windowSection(store: AppStore): HTMLElement {
  const body = h("div", { className: "channels" });
  let rows: { element: HTMLElement; update(): void }[] = [];
  store.watch(shownImage, (image) => {
    const count = !image || image.role === "labels" ? 0 : image.is_color ? 1 : image.channels.length;
    rows = image ? Array.from({ length: count }, (_, i) => channelRow(store, image, i)) : [];
    body.replaceChildren(...rows.map((row) => row.element));
  });
  store.watchAny((state) => [state.channels, state.view.image], () => rows.forEach((row) => row.update()));
  return h("section", { className: "panel-section" }, h("h2", {}, "Window"), body);
}

function segmented<T extends string>(name: string, choices: readonly (readonly [T, string])[], choose: (value: T) => void) {
  const group = newId();
  const inputs = choices.map(([value, text]) => {
    const input = h("input", { type: "radio", name: group, value, on: { change: () => choose(value) } });
    return { input, element: h("label", { className: "segment" }, input, h("span", {}, text)) };
  });
  const element = h(
    "div",
    { className: "segmented", attrs: { role: "radiogroup", "aria-label": name } },
    ...inputs.map((part) => part.element),
  );
  const update = (value: T) => inputs.forEach(({ input }) => (input.checked = input.value === value));
  return { element, update };
}

function toggle(text: string, change: (on: boolean) => void): { element: HTMLElement; update(on: boolean): void } {
  const box = h("input", { type: "checkbox", on: { change: () => change(box.checked) } });
  return { element: h("label", { className: "check" }, box, text), update: (on) => void (box.checked = on) };
}

function viewSection(store: AppStore): HTMLElement {
  const convention = segmented(
    "Which side is left",
    [["radiological", "Radiological"], ["neurological", "Neurological"]] as const,
    (value) => setView(store, { convention: value }),
  );
  const crosshair = toggle("Cross-hair", (on) => setView(store, { crosshair: on }));
  const smooth = toggle("Smooth pixels", (on) => setView(store, { smooth: on }));
  const section = h(
    "section",
    { className: "panel-section" },
    h("h2", {}, "View"),
    convention.element,
    h("div", { className: "checks" }, crosshair.element, smooth.element),
  );
  store.watch((state) => state.view, (view) => {
    convention.update(view.convention);
    crosshair.update(view.crosshair);
    smooth.update(view.smooth);
  });
  store.watch(shownImage, (image) => {
    section.hidden = isSlide(image);
    convention.element.hidden = !image?.axes;
    crosshair.element.hidden = image?.shape.z === 1;
  });
  return section;
}

function labelSection(store: AppStore): HTMLElement {
  const shown = toggle("Show labels", (on) => setView(store, { labelsShown: on }));
  const style = segmented<LabelStyle>("Labels as", [["fill", "Fill"], ["outline", "Outline"]], (value) =>
    setView(store, { labelStyle: value }),
  );
  const opacity = h("input", {
    type: "range",
    min: "0",
    max: "1",
    step: "0.05",
    on: { input: () => setView(store, { labelOpacity: opacity.valueAsNumber }) },
  });
  const palette = h(
    "select",
    { on: { change: () => setView(store, { palette: palette.value as Palette }) } },
    h("option", { value: "tesela" }, "As in overlays"),
    h("option", { value: "safe" }, "Color-blind safe"),
  );
  const section = h(
    "section",
    { className: "panel-section" },
    h("h2", {}, "Labels"),
    h("div", { className: "checks" }, shown.element),
    style.element,
    labeled("Opacity", opacity),
    labeled("Colors", palette),
  );
  store.watch((state) => state.view, (view) => {
    shown.update(view.labelsShown);
    style.update(view.labelStyle);
    opacity.valueAsNumber = view.labelOpacity;
    opacity.disabled = view.labelStyle === "outline";
    palette.value = view.palette;
  });
  store.watch((state) => state.layers.length > 0, (any) => void (section.hidden = !any));
  return section;
}

export function displayPanel(store: AppStore): HTMLElement[] {
  return [windowSection(store), labelSection(store), viewSection(store)];
}
