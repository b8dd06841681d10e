import { basename } from 'node:path';

/**
 * How this command was started, for usage texts: `npm run demo --` in a clone, `consilium demo`
 * from the package.
 */
export function commandName(name: string, script = process.argv[1] ?? ''): string {
  return basename(script).startsWith('consilium') ? `consilium ${name}` : `npm run ${name} --`;
}
