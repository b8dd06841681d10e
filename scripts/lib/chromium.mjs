import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

export const MISSING =
  'there is no Chromium. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.';

/**
 * The path of a Chromium: `CHROMIUM_PATH`, else the first one in `PATH`; undefined if there is
 * none.
 */
export function findChromium() {
  const places = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.CHROMIUM_PATH || places].flat().find((place) => existsSync(place));
}
