import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the built console, ready to send. */
export interface ConsoleFile {
  type: string;
  body: Buffer;
  /** The compressed body; undefined if compression does not make it smaller. */
  gzip: Buffer | undefined;
}

export interface ConsoleFiles {
  /** `index.html` as built, with links relative to the folder of the console (`./assets/…`). */
  page: string;
  /** By name below `assets/`. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built console into memory (about 2 MB), so that requests do not use the file system.
 * @returns undefined if the console was not built
 */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const names = await readdir(join(folder, 'assets')).catch(() => []);
  const plain = names.filter((name) => Object.hasOwn(TYPES, extname(name)));
  const assets = await Promise.all(
    plain.map(async (name): Promise<[string, ConsoleFile]> => {
      const path = join(folder, 'assets', name);
      const [body, gzip] = await Promise.all([
        readFile(path),
        readFile(`${path}.gz`).catch(() => undefined),
      ]);
      return [name, { type: TYPES[extname(name)] ?? '', body, gzip }];
    }),
  );
  return { page, assets: new Map(assets) };
}

/** @param up relative path from a page to the folder of the console: `./`, `../`, `console/` */
export function pageAt(page: string, up: string): ConsoleFile {
  const body = Buffer.from(page.replaceAll('"./assets/', `"${up}assets/`));
  return { type: 'text/html; charset=utf-8', body, gzip: gzipSync(body) };
}
