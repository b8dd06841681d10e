import { expect, test } from '@jest/globals';
import { encodeEach, encodeLog } from '../../test/support/streams/encode.js';
import { LOGS } from '../../test/support/streams/logs.js';

/** What tells a client that a limit has cut a turn off, in the formats of chats. */
const CUT = {
  executor: /"partial":true,"reasons":\["LIMIT_REACHED"\]/,
  flat: /"partial":true,"reasons":\["LIMIT_REACHED"\]/,
  oracle: /"system_type":"limit_reached"/,
  agent: /"type":"stream_end","reason":"limit"/,
  chat: /"partial":true,"reasons":\["LIMIT_REACHED"\]/,
  'ag-ui': /"code":"LIMIT_REACHED"[^]*"outcome":\{"type":"cancelled"\}/,
  'ai-sdk': /"partial":true,"reasons":\["LIMIT_REACHED"\]/,
};
const CHATS = Object.keys(CUT) as (keyof typeof CUT)[];

test.each(CHATS)('%s names the run of a diagnosis while its call is open', (format) => {
  const log = LOGS['a diagnosis under way'] as string[];
  const at = log.findIndex((frame) => frame.includes('TOOL_RUNNING'));
  const frame = encodeEach(format, log)[at] ?? '';
  expect(frame).toContain('"run_id":"r7"');
  expect(frame).toContain('The diagnosis of Shop (run r7) is running, with 4 events so far.');
});

test.each(CHATS)('%s says that a limit has cut a turn off', (format) =>
  expect(encodeLog(format, LOGS['chat-partial'] as string[])).toMatch(CUT[format]),
);
