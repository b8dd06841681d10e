import { chromium, type Browser } from 'playwright-core';

const QUIET = ['--disable-gpu', '--disable-quic', '--disable-sync', '--no-first-run'];
const ALONE = ['--disable-background-networking', '--disable-component-update'];

/** Starts the Chromium that `npm run test:browser` found, headless, with a new profile that is deleted afterwards. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium.');
  // The sandbox does not work for root, which containers run as.
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', ...QUIET, ...ALONE],
  });
}
