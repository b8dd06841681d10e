import { chromium, type Browser } from 'playwright-core';

const QUIET = ['--disable-gpu', '--disable-quic', '--disable-sync', '--no-first-run'];
const ALONE = ['--disable-background-networking', '--disable-component-update'];

/** A limit for what never happens: the machine may be busy with other things. */
const PATIENCE_MS = 180_000;

/**
 * Starts the Chromium that `npm run test:browser` found, headless, with a new profile that is
 * deleted afterwards. Its pages wait for minutes before they give up.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium.');
  // The sandbox does not work for root, which containers run as.
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', ...QUIET, ...ALONE],
  });
  const newContext = browser.newContext.bind(browser);
  // `newPage` makes its context by this, too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
