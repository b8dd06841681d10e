import { expect, it } from '@jest/globals';
import { DocumentPipe } from './document-pipe.js';

const pipe = { transform: (body: unknown) => new DocumentPipe().transform({ body, caller: 'me' }) };

it.each([{ id: 1 }, [1], null, 7])('passes parsed JSON on: %j', async (value) => {
  expect(await pipe.transform(value)).toEqual({ value });
});

it('parses YAML', async () => {
  expect(await pipe.transform('id: 1\nname: Shop\n')).toEqual({ value: { id: 1, name: 'Shop' } });
});

const refused = (path: unknown, message: unknown) =>
  expect.objectContaining({
    code: 'VALIDATION_FAILED',
    options: { faults: expect.arrayContaining([{ path, message }]) as unknown },
  }) as unknown;

it('refuses a text that is no YAML, and names the line', async () => {
  await expect(pipe.transform('id: [1\nname: x')).rejects.toEqual(
    refused(expect.stringMatching(/^body/), expect.stringMatching(/line \d/)),
  );
});

it('refuses a body with too many values', async () => {
  const nodes = Array.from({ length: 50_001 }, () => 1);
  const fault = refused('body', 'must have at most 50,000 values in all');
  await expect(pipe.transform({ nodes })).rejects.toEqual(fault);
  await expect(pipe.transform(JSON.stringify({ nodes }))).rejects.toEqual(fault);
});
