// `npm run build`: the service and the web console, both into dist/, side by side.
import { join } from 'node:path';
import { buildAll } from './lib/build.mjs';

process.exitCode = await buildAll(join(import.meta.dirname, '..'));
