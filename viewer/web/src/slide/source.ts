// Tiles of a slide for OpenSeadragon: each is fetched with the token in its header and painted on a canvas.

import type OpenSeadragon from "openseadragon";
import { type Client, isAbort, textOf } from "../session/client.ts";
import type { ChannelView } from "../store/state.ts";
import type { ImageInfo, SlideInfo, SlideLevel } from "../store/wire.ts";
import { tileSide } from "./viewport.ts";

const quality = 80;

/** What an image looks like in its tiles: the window of the first channel that is shown. */
export function lookOf(image: ImageInfo, channels: readonly ChannelView[] | undefined): string {
  const index = image.is_color ? 0 : Math.max(0, channels?.findIndex((channel) => channel.shown) ?? 0);
  const window = channels?.[index]?.window ?? image.channels[index]?.window;
  const isPlain = image.pixel_type === "u8" && window?.[0] === 0 && window[1] === 255;
  const text = window && !isPlain ? `&low=${window[0]}&high=${window[1]}` : "";
  return image.is_color ? text : `&channel=${index}${text}`;
}

export function addressOfTile(image: number, level: number, column: number, row: number, look: string): string {
  return `images/${image}/tile?level=${level}&column=${column}&row=${row}&size=${tileSide}${look}`;
}

async function paint(client: Client, address: string, signal: AbortSignal): Promise<CanvasRenderingContext2D> {
  const response = await client.request(address, { signal });
  const bitmap = await createImageBitmap(await response.blob());
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return context;
}

/** Levels are numbered the other way round there: the last is the finest. */
export function tileSource(
  seadragon: typeof OpenSeadragon,
  client: Client,
  image: SlideInfo,
  look: string,
  failed: (error: unknown) => void,
): OpenSeadragon.TileSource {
  const { levels } = image;
  const last = levels.length - 1;
  const of = (level: number) => levels[last - level] as SlideLevel;
  const { x: width, y: height } = image.shape;
  const source = new seadragon.TileSource({ width, height, tileSize: tileSide, minLevel: 0, maxLevel: last });
  source.getLevelScale = (level) => 1 / of(level).downsample[0];
  source.getNumTiles = (level) => new seadragon.Point(Math.ceil(of(level).width / tileSide), Math.ceil(of(level).height / tileSide));
  source.getTileBounds = (level, column, row, isSource = false) => {
    const { downsample, width: across, height: down } = of(level);
    const [x, y] = [column * tileSide, row * tileSide];
    const [w, t] = [Math.min(tileSide, across - x), Math.min(tileSide, down - y)];
    if (isSource) return new seadragon.Rect(0, 0, w, t);
    return new seadragon.Rect((x * downsample[0]) / width, (y * downsample[1]) / width, (w * downsample[0]) / width, (t * downsample[1]) / width);
  };
  source.getTileUrl = (level, column, row) => addressOfTile(image.id, last - level, column, row, `${look}&quality=${quality}`);
  source.downloadTileStart = (job) => {
    const abort = new AbortController();
    job.userData = { abort };
    paint(client, job.src as string, abort.signal).then(
      (context) => job.finish(context, null as never, "context2d"),
      (error: unknown) => {
        if (!isAbort(error)) failed(error);
        job.fail(textOf(error), null as never);
      },
    );
  };
  source.downloadTileAbort = (job) => (job.userData as { abort?: AbortController }).abort?.abort();
  return source;
}
