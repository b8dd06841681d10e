import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FORMATS } from './registry.js';
import { framesOf as framesOfHistory, type History } from '../../test/faults/lib/history.js';
import { encodeLog, framesOf } from '../../test/support/streams/encode.js';

const FIXTURES = join(import.meta.dirname, '../../test/fixtures');
const read = (folder: string, ending: string, textOf: (text: string) => string) =>
  readdirSync(join(FIXTURES, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => [file, textOf(readFileSync(join(FIXTURES, folder, file), 'utf8'))] as const);

const LOGS = [
  ...read('logs', '.log', (text) => text),
  ...read('histories', '.json', (text) => framesOfHistory(JSON.parse(text) as History)),
];

const digestOf = (encoded: string): string =>
  `${Buffer.byteLength(encoded)} ${createHash('sha256').update(encoded).digest('hex')}`;

/** Clients always get the same bytes of a run. A change of these digests would break that. */
test.each(FORMATS)(
  '%s encodes every log that earlier code recorded to the same bytes',
  (format) => {
    expect(
      Object.fromEntries(
        LOGS.map(([file, text]) => [file, digestOf(encodeLog(format, framesOf(text)))]),
      ),
    ).toMatchSnapshot();
  },
);
