// Descriptions of images for tests, as the server sends them.

/** A volume whose axes run to the sides of the patient that the three letters say, such as "LPS". */
export function volume(to = "LPS", change = {}) {
  const from = { L: "R", R: "L", P: "A", A: "P", S: "I", I: "S" };
  const vectors = { L: [1, 0, 0], R: [-1, 0, 0], P: [0, 1, 0], A: [0, -1, 0], S: [0, 0, 1], I: [0, 0, -1] };
  const columns = [...to].map((letter) => vectors[letter]);
  return {
    id: 1,
    name: "head.nii.gz",
    role: "image",
    of: null,
    shape: { x: 20, y: 30, z: 40, t: 1, channels: 1 },
    pixel_type: "int16",
    spacing: [1, 2, 3],
    unit: "mm",
    origin: [10, 20, 30],
    direction: [0, 1, 2].map((row) => columns.map((column) => column[row])),
    has_geometry: true,
    axes: Object.fromEntries(["x", "y", "z"].map((axis, i) => [axis, [from[to[i]], to[i]]])),
    is_color: false,
    channels: [{ name: "", color: "#ffffff", lowest: 0, highest: 1000, window: [10, 900] }],
    ...change,
  };
}

export function picture(change = {}) {
  return volume("LPS", { axes: undefined, shape: { x: 20, y: 30, z: 1, t: 1, channels: 1 }, ...change });
}

/** All ways in which axes can run along a patient: 48. */
export function orientations() {
  const groups = ["LR", "PA", "SI"];
  const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
  return orders.flatMap((order) =>
    Array.from({ length: 8 }, (_, signs) => order.map((group, i) => groups[group][(signs >> i) & 1]).join("")),
  );
}
