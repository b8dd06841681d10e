import { expect, test } from '@jest/globals';
import { answerOf, firstOf, found } from '../../../test/support/sources/recorded-answers.js';

test('an error that begins says more than one that is always there', () => {
  const lines = Array.from({ length: 200 }, (_, at) => [
    `10:${at} INFO served in ${at} ms`,
    ...(at % 5 === 0 ? ['10:00 ERROR metrics push failed: read timed out'] : []),
    ...(at > 120 && at % 20 === 0
      ? ['10:00 ERROR payment refused: x509: certificate has expired']
      : []),
  ]).flat();
  expect(firstOf('orders fail', answerOf('fetch_pod_logs', lines.join('\n')))).toMatchObject({
    kind: 'certificate-expired',
  });
});

test('the end of a long error, where its cause stands, is shown', () => {
  const line = `Message: one or more objects failed to apply, reason: Deployment.apps "cart" is invalid: spec.selector: Invalid value: ${'x'.repeat(400)}: field is immutable (retried 5 times).`;
  const first = firstOf(
    'why is it out of sync?',
    answerOf('argocd_app_get', line, { app_name: 'cart' }),
  );
  expect(first).toMatchObject({ kind: 'config', source: 'cart' });
  expect(first?.text).toMatch(/is invalid: spec\.selector.* … .*field is immutable/);
});

test('a number is no status of HTTP', () => {
  expect(
    found('?', answerOf('fetch_pod_logs', '{"level":"info","docs":403}\nwrote 429 rows')),
  ).toEqual([]);
  expect(firstOf('?', answerOf('fetch_pod_logs', 'ERROR upstream returned 403'))).toMatchObject({
    kind: 'auth',
  });
});
