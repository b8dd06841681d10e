import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

describe('the library', () => {
  it('runs in a browser: it loads only eventsource-parser, and no module of Node', () => {
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const source = readFileSync(file, 'utf8');
      // The build removes imports of types.
      for (const [, what, from] of source.matchAll(
        /^(?:import|export) (?!type)([^;]*?)from '([^']+)';/gm,
      )) {
        const values = (what as string)
          .replace(/[{}]/g, '')
          .split(',')
          .filter((name) => name.trim() !== '' && !/^\s*type /.test(name));
        if (values.length === 0) continue;
        if (from?.startsWith('.')) load(join(dirname(file), from.replace(/\.js$/, '.ts')));
        else packages.add(from as string);
      }
    };
    load(join(import.meta.dirname, 'index.ts'));
    expect([...packages]).toEqual(['eventsource-parser']);
    expect(loaded.size).toBeGreaterThan(5);
    for (const file of loaded)
      expect(readFileSync(file, 'utf8')).not.toMatch(/\b(process|Buffer|require)\b\s*[.(]/);
  });
});
