// Elements in one call. Styles stand in styles/, since the policy of the page allows no others.

type Child = Node | string | null | undefined | false;
type Props<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "style" | "children" | "list">
> & {
  attrs?: Record<string, string>;
  on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
};

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { attrs, on, ...members } = props;
  Object.assign(element, members);
  for (const [name, value] of Object.entries(attrs ?? {})) element.setAttribute(name, value);
  for (const [name, listener] of Object.entries(on ?? {}))
    element.addEventListener(name, listener as EventListener);
  element.append(...children.filter((child): child is Node | string => !!child || child === ""));
  return element;
}

const drawings = {
  point: "M8 1v5M8 10v5M1 8h5M10 8h5",
  pan: "M8 1v14M1 8h14M6 3l2-2 2 2M6 13l2 2 2-2M3 6L1 8l2 2M13 6l2 2-2 2",
  window: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  seed: "M8 14s-5-4.5-5-8a5 5 0 0 1 10 0c0 3.500-5 8-5 8zM8 4v4M6 6h4",
  eye: "M1 8s2.500-5 7-5 7 5 7 5-2.500 5-7 5-7-5-7-5zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  hidden: "M1 8s2.500-5 7-5 7 5 7 5-2.500 5-7 5-7-5-7-5zM2 14L14 2",
  remove: "M4 4l8 8M12 4l-8 8",
  back: "M10 3L5 8l5 5",
  copy: "M6 6h8v8H6zM10 6V2H2v8h4",
  large: "M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4",
  fit: "M3 3h10v10H3zM8 6v4M6 8h4",
  keep: "M5 2h6v12l-3-3-3 3z",
  reset: "M3 8a5 5 0 1 0 1.500-3.500L3 6M3 2v4h4",
  save: "M2 2h9l3 3v9H2zM5 2v4h5V2M5 14v-4h6v4",
  help: "M6 6a2 2 0 1 1 2.500 2C8 8.200 8 8.500 8 9.500M8 12v.5",
  panel: "M2 3h12v10H2zM6 3v10",
  mark: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  brush: "M13 2L7 9M7 9c-2-1-4 0-4 3-1 1-1 1-2 1 4 2 8 0 7-3z",
  eraser: "M9 2l5 5-7 7H4l-3-3zM5 6l5 5M7 14h7",
  box: "M2 4V2h2M7 2h2M12 2h2v2M14 7v2M14 12v2h-2M9 14H7M4 14H2v-2M2 9V7",
  component: "M8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 14v-1M8 11v3M13 14v-1M6 12l2 2 2-2",
  undo: "M5 3L2 6l3 3M2 6h7a4 4 0 0 1 0 8H6",
  redo: "M11 3l3 3-3 3M14 6H7a4 4 0 0 0 0 8h3",
  add: "M8 3v10M3 8h10",
  run: "M5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
} as const;
export type Icon = keyof typeof drawings;

export function icon(name: Icon): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", drawings[name]);
  svg.append(path);
  return svg;
}

export function setIcon(button: HTMLElement, name: Icon): void {
  button.querySelector(".icon")?.replaceWith(icon(name));
}

/** A button that shows a drawing; its name is for screen readers and as a tip. */
export function iconButton(name: Icon, label: string, click: () => void, className = ""): HTMLButtonElement {
  const button = h("button", { type: "button", className: `icon-button ${className}`, on: { click } }, icon(name));
  nameButton(button, label);
  return button;
}

/** Gives a button with a drawing another name. */
export function nameButton(button: HTMLElement, label: string): void {
  button.title = label;
  button.setAttribute("aria-label", label.replace(/ \([^)]*\)$/, ""));
}

export function textButton(text: string, click: () => void, className = ""): HTMLButtonElement {
  return h("button", { type: "button", className: `button ${className}`, on: { click } }, text);
}

let numbers = 0;
/** A new id within the page, for labels and descriptions. */
export function newId(): string {
  return `e${++numbers}`;
}

/** Makes what is in an element anew; the focus stays where it was in the order of controls. */
export function keepFocus(element: HTMLElement, remake: () => void): void {
  const controls = () => [...element.querySelectorAll<HTMLElement>("button, input, select, summary, [tabindex]")];
  const place = controls().indexOf(document.activeElement as HTMLElement);
  remake();
  if (place >= 0) controls().at(Math.min(place, controls().length - 1))?.focus({ preventScroll: true });
}

/** Makes these the children of an element. Those that stay are left where they are, with focus and selection. */
export function putChildren(parent: HTMLElement, children: readonly HTMLElement[]): void {
  for (const child of [...parent.children]) if (!children.includes(child as HTMLElement)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children)
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
}

/** A field with its label in front. */
export function labeled(text: string, field: HTMLElement, className = "field"): HTMLElement {
  const id = field.id || (field.id = newId());
  return h("div", { className }, h("label", { htmlFor: id }, text), field);
}
