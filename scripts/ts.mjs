/**
 * `node --import ./scripts/ts.mjs FILE.ts`: runs a TypeScript source without a build. For tests,
 * scripts and benchmarks.
 */
import { register } from 'node:module';

register('./ts-hooks.mjs', import.meta.url);
