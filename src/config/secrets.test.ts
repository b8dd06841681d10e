import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSecretReference, readSecret } from './secrets.js';

test('reads a variable of the environment', async () => {
  expect(await readSecret('${env:PROM_TOKEN}', (name) => `${name} abc\n`)).toBe('PROM_TOKEN abc');
});

test('reads a file', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'secret-')), 'token');
  await writeFile(path, 'abc\n');
  expect(await readSecret(`\${file:${path}}`, () => undefined)).toBe('abc');
});

test.each(['${env:NONE}', '${file:/nowhere/at/all}', 'abc'])('refuses %s', async (reference) => {
  await expect(readSecret(reference, () => undefined)).rejects.toThrow(
    `the credential ${reference} is missing`,
  );
});

test.each([
  ['${env:A_1}', true],
  ['${file:/run/secrets/token}', true],
  ['s3cret', false],
  ['${env:a}', false],
  ['x${env:A}', false],
])('knows whether %s is a reference', (text, is) => expect(isSecretReference(text)).toBe(is));
