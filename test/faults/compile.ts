import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';
import { swcOptions } from '../../scripts/swc-options.mjs';

const ROOT = join(import.meta.dirname, '../..');

const COMPILED = new Set(['src', 'test', 'dist', '.git']);

/** The sources as JavaScript, in a folder of their own. */
export interface Compiled {
  file(path: string): string;
  remove(): Promise<void>;
}

/**
 * Compiles `src` and `test/faults` as they are now: a process that starts from there needs half the time that one needs which
 * compiles as it loads, and fault tests start many.
 */
export async function compile(): Promise<Compiled> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'consilium-faults-'));
  for (const root of ['src', 'test/faults'])
    for (const name of await readdir(join(ROOT, root), { recursive: true })) {
      if (!name.endsWith('.ts') || /\.(test|d)\.ts$/.test(name)) continue;
      const filename = join(ROOT, root, name);
      const { code } = await transform(await readFile(filename, 'utf8'), {
        ...swcOptions,
        filename,
        swcrc: false,
      });
      const target = join(folder, root, name.replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, code);
    }
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  // What the sources read beside themselves: behaviours, rules, whatever comes.
  for (const { name } of (await readdir(ROOT, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  ))
    if (!COMPILED.has(name)) await symlink(join(ROOT, name), join(folder, name));
  return {
    file: (path) => join(folder, path.replace(/\.ts$/, '.js')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
