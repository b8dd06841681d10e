import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FORMATS } from '../../src/formats/registry.js';
import { framesOf as framesOfHistory, type History } from '../faults/history.js';
import { encodeLog, framesOf } from '../support/encode.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const read = (folder: string, ending: string, textOf: (text: string) => string) =>
  readdirSync(join(FIXTURES, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => [file, textOf(readFileSync(join(FIXTURES, folder, file), 'utf8'))] as const);

const LOGS = [
  ...read('logs', '.log', (text) => text),
  ...read('histories', '.json', (text) => framesOfHistory(JSON.parse(text) as History)),
];

/** What clients were once given of a run, they are given again: a change of these digests breaks that. */
test.each(LOGS)('%s, recorded by earlier code, is the same bytes in every format', (_, text) => {
  const log = framesOf(text);
  const digestOf = (encoded: string) =>
    `${Buffer.byteLength(encoded)} ${createHash('sha256').update(encoded).digest('hex')}`;
  expect(
    Object.fromEntries(FORMATS.map((format) => [format, digestOf(encodeLog(format, log))])),
  ).toMatchSnapshot();
});
