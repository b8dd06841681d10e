// `node --import ./scripts/ts.mjs --import ./test/setup/with-build.mjs FILE.ts`: runs a program of
// test/ that starts the service.
import { buildForTests } from './build.mjs';

process.env.TEST_BUILD = await buildForTests();
