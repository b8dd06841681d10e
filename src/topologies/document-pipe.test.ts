import { expect, it } from '@jest/globals';
import { DocumentPipe } from './document-pipe.js';

const pipe = new DocumentPipe();

it.each([{ id: 1 }, [1], null, 7])('passes parsed JSON on: %j', (value) => {
  expect(pipe.transform(value)).toEqual({ value });
});

it('parses YAML', () => {
  expect(pipe.transform('id: 1\nname: Shop\n')).toEqual({ value: { id: 1, name: 'Shop' } });
});

it('refuses a text that is no YAML, and names the line', () => {
  expect(() => pipe.transform('id: [1\nname: x')).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      options: {
        faults: expect.arrayContaining([
          expect.objectContaining({ path: expect.stringMatching(/^body/) }),
        ]) as unknown,
      },
    }),
  );
});
