import { expect, it } from '@jest/globals';
import { rememberSecret } from '../../config/known-secrets.js';
import { makeLogger } from './pino-logger.js';

function linesOf(write: (logger: ReturnType<typeof makeLogger>) => void): string {
  const lines: string[] = [];
  write(makeLogger('info', { write: (line) => lines.push(line) }));
  return lines.join('');
}

it('writes no secret of the process, in any encoding', () => {
  rememberSecret('canary "quoted" value');
  const encoded = Buffer.from('canary "quoted" value').toString('base64');
  const text = linesOf((logger) => {
    logger.info('plain: canary "quoted" value');
    logger.warn({ error: `Basic ${encoded}`, url: encodeURIComponent('canary "quoted" value') });
  });
  expect(text).not.toContain('canary');
  expect(text).not.toContain(encoded.slice(0, 20));
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toHaveLength(2);
});

it.each([
  ['a URL', 'redis://u:hunter2@h'],
  ['an assignment', 'password=hunter2'],
  ['an assignment in quotes', 'password="hunter2"'],
  ['an assignment before a backslash', 'password=hunter2\\'],
  ['JSON', '{"token":"hunter2"}'],
])('replaces a credential in %s, and the line stays JSON', (_, message) => {
  const line = linesOf((logger) => logger.info(message));
  expect(line).not.toContain('hunter2');
  expect(JSON.parse(line)).toMatchObject({ level: 30 });
});
