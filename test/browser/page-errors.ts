import type { Page } from 'playwright-core';

/** What nobody in a page has caught, as it comes: to be looked at when the test is over. */
export function errorsOn(page: Page): Error[] {
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  return errors;
}
