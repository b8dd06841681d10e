import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EVENT_NAMES } from '../../src/domain/events/event.js';
import { FORMATS } from '../../src/formats/registry.js';
import { builtFile } from '../support/processes/built.js';
import { encodeLog } from '../support/streams/encode.js';
import { RECORDED } from '../support/streams/logs.js';
import { Scene } from '../support/scene.js';
import { erroring, healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * All codes in the sources, so that a new code needs a row. Codes of providers and of nodes are
 * composed and listed here.
 */
const SOURCES = ['agents', 'runs'].flatMap((folder) =>
  readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, 'src', folder, file), 'utf8')),
);
const WRITTEN = /\b(?:warning\(|error\(|fail\(\s*runId,)\s*'([A-Z_]+)'/g;
const CODES = [
  ...new Set(SOURCES.flatMap((text) => [...text.matchAll(WRITTEN)].map(([, code = '']) => code))),
  'RATE_LIMITED',
  'OVERLOADED',
  'AI_ERROR',
  '*_CONNECTION_FAILED',
];
const START = '<!-- stream:start -->\n';
const END = '<!-- stream:end -->';

let scene: Scene;
let env: { SERVICE_URL: string; RUN_ID: string };
beforeAll(async () => {
  scene = new Scene();
  const api = await scene.service();
  const web = await httpTarget(scene.targets, erroring);
  const db = await httpTarget(scene.targets, healthy);
  const { runId } = await (
    await api.trigger(await api.store(topologyOf({ web: { ...web, dependsOn: ['db'] }, db })))
  ).end();
  env = { SERVICE_URL: api.url, RUN_ID: runId };
});
afterAll(() => scene.close());

/** Runs the code of a page unchanged, except that it imports the library as built here. */
async function run(name: string, code: string): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/docs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  const library = pathToFileURL(builtFile('src/client/index.ts')).href;
  writeFileSync(file, code.replace("'consilium-client'", `'${library}'`));
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { ...inherited, ...env },
    timeout: 60_000,
  });
  return stdout;
}

describe.each(FORMATS)('docs/formats/%s.md', (format) => {
  const path = join(ROOT, `docs/formats/${format}.md`);
  const page = readFileSync(path, 'utf8');

  test('has a row for every event and every code', () => {
    const rows = page.split('\n').map((line) => /^\| `([^`]+)` +\|/.exec(line)?.[1]);
    expect(rows).toEqual(expect.arrayContaining([...EVENT_NAMES, ...CODES]));
    // The search of the sources finds the well-known codes.
    expect(CODES).toEqual(
      expect.arrayContaining([
        'LIMIT_REACHED',
        'NO_PROGRESS',
        'ERROR_LIMIT',
        'DEADLINE',
        'ORPHANED',
        'LOG_LIMIT',
      ]),
    );
  });

  // UPDATE_DOCS=1 writes it.
  test('shows a stream as it is', () => {
    const shown = `${START}\n\`\`\`text\n${encodeLog(format, RECORDED['chat-answered'] as string[]).trimEnd()}\n\`\`\`\n\n`;
    const now = page.slice(0, page.indexOf(START)) + shown + page.slice(page.indexOf(END));
    if (process.env['UPDATE_DOCS']) writeFileSync(path, now);
    else expect(page).toBe(now);
  });

  test('has client code that runs', async () => {
    const code = /```js\n(.*?)```/s.exec(page)?.[1] as string;
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    expect(await run(format, code)).toContain('1 critical issue.');
  });
});

test('the check in the README distinguishes a stream that was cut from a whole one', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, check = ''] = /^(grep .*)$/m.exec(readme) ?? [];
  const folder = join(ROOT, 'node_modules/.cache/docs');
  const said = async (frames: readonly string[]) => {
    writeFileSync(join(folder, 'run.log'), frames.join(''));
    return (await promisify(execFile)('sh', ['-c', check], { cwd: folder })).stdout;
  };
  for (const log of [RECORDED['root-cause'], RECORDED['cancelled'], RECORDED['chat-failed']]) {
    expect(await said(log ?? [])).toBe('');
    expect(await said(log?.slice(0, -1) ?? [])).toBe('cut: resume after its last id\n');
  }
});
