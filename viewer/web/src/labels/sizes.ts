// Sizes of labels and brushes as people read them.

import type { ImageInfo } from "../store/wire.ts";

/** How many millimeters the unit of an image is; 1 for images without a spacing, whose unit is a pixel. */
export function millimetersIn(image: ImageInfo): number {
  return image.has_geometry && image.unit === "um" ? 1e-3 : 1;
}

/** "mm", "µm" or "px" */
export function unitOf(image: ImageInfo): string {
  return image.has_geometry ? image.unit.replace("um", "µm") : "px";
}

const short = (value: number) => Number(value.toPrecision(3)).toLocaleString("en-US");

/** "12.3 ml", "840 mm³", "3.1 mm²" of a picture, "1,204 voxels" without a spacing */
export function sizeText(image: ImageInfo, points: number): string {
  const isPicture = image.shape.z === 1;
  if (!image.has_geometry) return `${points.toLocaleString("en-US")} ${isPicture ? "px" : "voxels"}`;
  const sides = isPicture ? image.spacing.slice(0, 2) : image.spacing;
  const size = sides.reduce((product, side) => product * side, points);
  if (isPicture) return `${short(size)} ${unitOf(image)}²`;
  return image.unit === "mm" && size >= 1000 ? `${short(size / 1000)} ml` : `${short(size)} ${unitOf(image)}³`;
}

/** A brush that is a few voxels wide. */
export function usualSize(image: ImageInfo): number {
  const sides = image.shape.z === 1 ? image.spacing.slice(0, 2) : image.spacing;
  return Number((8 * Math.min(...sides)).toPrecision(2));
}
