import { expect, it } from '@jest/globals';
import { otlpHeaders } from './otlp-headers.js';

it('reads pairs, with their values decoded', () =>
  expect(otlpHeaders('authorization=Bearer%20a=b, x-tenant = shop,')).toEqual({
    authorization: 'Bearer a=b',
    'x-tenant': 'shop',
  }));

it.each([undefined, '', 'nothing', '=x'])('finds none in %j', (text) =>
  expect(otlpHeaders(text)).toEqual({}),
);
