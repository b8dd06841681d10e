import { expect, test } from '@jest/globals';
import { LogTemplates } from './log-templates.js';
import { isSameMessage } from './same-message.js';

/** Whether twelve lines are about one message; `#` stands for the number of the line. */
function isSame(body: string, severity = 'ERROR', count = 12): boolean {
  const templates = new LogTemplates(0);
  for (let i = 0; i < count; i += 1)
    templates.add({
      at: 1_000 + i,
      node: 'worker',
      labels: {},
      severity,
      body: body.replaceAll('#', String(7_000 + i)),
    });
  return templates.all().every(isSameMessage);
}

test.each([
  'message failed, requeued delivery_tag=# redelivered=True order_id=708812',
  '{"msg": "job failed, retrying", "attempt": #, "jobId": "a1-77"}',
  'cannot process record at offset 4711 of orders-3: NumberFormatException',
  'handler threw, nack: messageId: 9f-1b',
])('tells that one message fails again and again: %s', (body) => {
  expect(isSame(body)).toBe(true);
});

test.each([
  ['the messages differ', 'message failed, requeued redelivered=True order_id=#'],
  ['the lines name who handles them alone', 'message # failed, requeued consumer_id=ctag1'],
  ['no message comes back', 'payment failed order_id=708812 took #'],
])('does not if %s', (_, body) => {
  expect(isSame(body)).toBe(false);
});

test('does not of few errors, nor of lines that are none', () => {
  const body = 'message failed, requeued order_id=708812';
  expect(isSame(body, 'ERROR', 9)).toBe(false);
  expect(isSame(body, 'INFO')).toBe(false);
});
