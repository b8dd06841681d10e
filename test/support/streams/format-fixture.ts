import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Format } from '../../../src/formats/registry.js';
import { encodeLog } from './encode.js';
import { expectDocumented } from './frame-check.js';
import { RECORDED } from './logs.js';

/**
 * A recorded chat turn is encoded to the bytes of the format's fixture
 * (`src/formats/NAME/fixture.txt`), and each frame has a schema. `UPDATE_FIXTURES=1` writes the
 * fixture.
 */
export function expectFixture(format: Format): void {
  const path = join(import.meta.dirname, '../../../src/formats', format, 'fixture.txt');
  const encoded = encodeLog(format, RECORDED['chat-diagnosis'] as string[]);
  if (process.env['UPDATE_FIXTURES']) writeFileSync(path, encoded);
  expect(encoded).toBe(readFileSync(path, 'utf8'));
  expectDocumented(format, encoded);
}
