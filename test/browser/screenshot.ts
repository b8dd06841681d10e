import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'node_modules/.cache/browser');

/** Saves a screenshot as `node_modules/.cache/browser/NAME.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
}

/** A picture of the documentation. */
export const pictureFile = (name: string): string => join(ROOT, 'docs/images', `${name}.png`);

/**
 * The same, and with `PICTURES=1` also as `docs/images/NAME.png`, a picture of the documentation.
 */
export async function takePicture(page: Page, name: string): Promise<void> {
  await keepScreenshot(page, name);
  if (process.env['PICTURES'] === '1')
    await page.screenshot({ path: pictureFile(name), fullPage: true });
}
