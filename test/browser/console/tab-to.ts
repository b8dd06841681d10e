import type { Page } from 'playwright-core';

/** More presses of a key than these lead nowhere. */
export const MOST_KEYS = 60;

/** Presses Tab until an element that fits has the focus. */
export async function tabTo(page: Page, fits: string): Promise<void> {
  for (let i = 0; i < MOST_KEYS; i++) {
    if (await page.evaluate<boolean>(`document.activeElement.matches('${fits}')`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${fits}`);
}
