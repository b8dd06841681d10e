import { chromium, type Browser } from 'playwright-core';

const QUIET = ['--disable-gpu', '--disable-quic', '--disable-sync', '--no-first-run'];
const ALONE = ['--disable-background-networking', '--disable-component-update'];

/** Starts the Chromium that `npm run test:browser` has found, headless, with a profile of its own that goes with it. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium.');
  // Its sandbox does not work for root, as whom a container runs.
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', ...QUIET, ...ALONE],
  });
}
