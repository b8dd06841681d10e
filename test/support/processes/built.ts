import { join } from 'node:path';

/**
 * The program that was built from a source: `src/main.ts`. test/setup/build.mjs names those that
 * are built.
 */
export function builtFile(source: string): string {
  const folder = process.env['TEST_BUILD'];
  if (folder === undefined)
    throw new Error('This test needs the built service. Run it with `npm test -- FILE`.');
  return join(folder, source.replace(/\.ts$/, '.mjs'));
}
