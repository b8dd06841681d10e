import type { Page } from 'playwright-core';

/** Collects the uncaught errors of a page, for a check at the end of the test. */
export function errorsOn(page: Page): Error[] {
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  return errors;
}
