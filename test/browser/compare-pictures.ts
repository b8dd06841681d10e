import type { Page } from 'playwright-core';

/** Pixels of a side of a block. */
const BLOCK = 8;
/** Of 255, in each colour: the mean of a block that differs by no more is the same. */
const MOST_DIFFERENCE = 24;

/** Reads two PNGs in the page and says which part of their blocks differs. */
const COMPARE = `async ([one, other, block, most]) => {
  const blocksOf = async (png) => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
    const [width, height] = [Math.ceil(image.width / block), Math.ceil(image.height / block)];
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const means = [];
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      const { data } = context.getImageData(x * block, y * block, block, block);
      const sum = [0, 0, 0];
      for (let i = 0; i < data.length; i += 4) for (let c = 0; c < 3; c++) sum[c] += data[i + c];
      means.push(sum.map((value) => value / (data.length / 4)));
    }
    return { size: image.width + 'x' + image.height, means };
  };
  const [a, b] = [await blocksOf(one), await blocksOf(other)];
  if (a.size !== b.size) return 1;
  const differs = a.means.filter((mean, i) => mean.some((value, c) => Math.abs(value - b.means[i][c]) > most));
  return differs.length / a.means.length;
}`;

/**
 * Compares two PNGs in blocks, by their mean colour: fonts may be drawn otherwise elsewhere, but
 * what moved, vanished or changed its colour shows.
 * @param blank a page without a content security policy: the one of the console forbids data URLs
 * @returns the part of the blocks that differ, 0 to 1; 1 if their sizes do
 */
export async function differenceOf(blank: Page, one: Buffer, other: Buffer): Promise<number> {
  const pictures = [one, other].map((png) => png.toString('base64'));
  return blank.evaluate<number>(
    `(${COMPARE})(${JSON.stringify([...pictures, BLOCK, MOST_DIFFERENCE])})`,
  );
}
