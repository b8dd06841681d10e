import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/browser');

/** Saves a screenshot as `node_modules/.cache/browser/NAME.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
}
