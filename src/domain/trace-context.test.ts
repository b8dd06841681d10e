import { expect, it } from '@jest/globals';
import { readTraceparent, writeTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`01-${TRACE}-${SPAN}-03-more`, true],
])('reads %s', (header, sampled) => {
  const context = readTraceparent(header);
  expect(context).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  expect(readTraceparent(context && writeTraceparent(context))).toEqual(context);
});

it.each([
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('ignores %s', (header) => expect(readTraceparent(header)).toBeUndefined());
