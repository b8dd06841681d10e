/** `node --import ./scripts/ts.mjs FILE.ts`: runs TypeScript sources as they are, without a build. For tests, scripts and benches. */
import { register } from 'node:module';

register('./ts-hooks.mjs', import.meta.url);
