import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { unreadable } from '../../lib/unreadable.js';
import { isBundle } from '../read-bundle.js';

/** Bundles of one folder, by name: what a service mounts. */
export interface BundleFolder {
  folder: string;
  names: string[];
}

/**
 * The bundles that paths name: each is a bundle or a folder of bundles.
 * @param only patterns of names, `*` for any characters; all names if there are none
 * @throws if a path has none, or none has such a name
 */
export async function findBundles(
  paths: readonly string[],
  only: readonly string[] = [],
): Promise<BundleFolder[]> {
  const patterns = only.map(patternOf);
  const found = new Map<string, Set<string>>();
  const add = (folder: string, name: string) =>
    found.set(folder, (found.get(folder) ?? new Set()).add(name));
  for (const path of paths.map((each) => resolve(each))) {
    if (await isBundle(path)) {
      add(dirname(path), basename(path));
      continue;
    }
    const names = await readdir(path).catch((cause: unknown) => {
      throw new Error(unreadable(path, cause), { cause });
    });
    const bundles = await Promise.all(names.map((name) => isBundle(join(path, name))));
    if (!bundles.includes(true)) throw new Error(`${path} holds no incident bundle.`);
    names.filter((_, i) => bundles[i]).forEach((name) => add(path, name));
  }
  const matching = [...found].map(([folder, names]) => ({
    folder,
    names: [...names]
      .filter((name) => patterns.length === 0 || patterns.some((each) => each.test(name)))
      .sort(),
  }));
  if (matching.every(({ names }) => names.length === 0))
    throw new Error(`No incident bundle has a name like ${only.join(' or ')}.`);
  return matching;
}

function patternOf(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
