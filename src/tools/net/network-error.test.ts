import { describe, expect, it, test } from '@jest/globals';
import { classify, codeOf, faultIssue, messageOf, type ConnectionPhase } from './network-error.js';
import { TimeLimitError } from './within.js';

const error = (code: string, more: object = {}) =>
  Object.assign(new Error(code), { code, ...more });

describe('an error of the network', () => {
  it.each<[string, ConnectionPhase, string, string, RegExp]>([
    ['ECONNREFUSED', 'connect', 'refused', 'unreachable', /^connection refused \(ECONNREFUSED\)$/],
    ['ENOTFOUND', 'connect', 'dns', 'nameless', /does not resolve/],
    ['EHOSTUNREACH', 'connect', 'unreachable', 'unreachable', /no route/],
    ['ECONNRESET', 'connect', 'reset', 'unreachable', /reset while connecting/],
    ['ECONNRESET', 'tls', 'reset', 'erroring', /during the TLS handshake/],
    ['EPIPE', 'answer', 'reset', 'erroring', /before the answer was complete/],
    ['ETIMEDOUT', 'connect', 'timeout', 'unreachable', /^no connection \(ETIMEDOUT\)$/],
    ['HPE_INVALID_CONSTANT', 'answer', 'protocol', 'invalid', /does not use HTTP/],
    ['HPE_INVALID_HEADER_TOKEN', 'answer', 'protocol', 'erroring', /not valid HTTP/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'protocol', 'invalid', /does not use TLS/],
    ['ERR_SSL_X', 'answer', 'tls', 'invalid', /TLS handshake failed/],
    ['EOTHER', 'connect', 'other', 'unreachable', /^EOTHER$/],
    ['EOTHER', 'answer', 'other', 'erroring', /^EOTHER$/],
  ])('%s while it is to %s is %s', (code, phase, kind, symptom, text) => {
    expect(classify(error(code), phase)).toMatchObject({
      kind,
      symptom,
      text: expect.stringMatching(text),
    });
  });

  it.each<[ConnectionPhase, string, string]>([
    ['connect', 'unreachable', 'no connection within 70 ms'],
    ['tls', 'slow', 'connected, but no TLS handshake within 70 ms'],
    ['answer', 'slow', 'connected, but no complete answer within 70 ms'],
  ])('of time while it is to %s says how long was waited', (phase, symptom, text) => {
    expect(classify(new TimeLimitError(70), phase)).toEqual({
      kind: 'timeout',
      symptom,
      text,
      waitedMs: 70,
      ...(phase !== 'connect' && { failureKind: 'timeout' }),
    });
  });

  it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])('%s is ours, and blames no target', (code) => {
    expect(() => classify(error(code), 'connect')).toThrow(/the probe itself ran out of resources/);
  });

  it.each(['EAI_AGAIN', 'EAI_FAIL'])('%s is that of the resolver, and blames no target', (code) => {
    for (const phase of ['connect', 'answer'] as const)
      expect(() => classify(error(code), phase)).toThrow(
        `the resolver of this service did not answer the question for the host name (${code})`,
      );
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.2\r\nmore', ': it says "SSH-2.0-OpenSSH_9.2"'],
    [`220 "x" ${'y'.repeat(100)}\n`, `: it says "220 'x' ${'y'.repeat(52)}…"`],
    ['\u001b[31mred\n', ''],
    ['J\0\0\0\n8.0.36', ''],
    ['', ''],
  ])('quotes the first line of %j if it is plain text', (sent, quoted) => {
    const rawPacket = Buffer.from(sent, 'latin1');
    expect(classify(error('HPE_INVALID_CONSTANT', { rawPacket }), 'answer').text).toBe(
      `the server does not use HTTP${quoted}`,
    );
  });

  it.each([
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'auth', 'client-certificate'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'auth', 'client-certificate'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'auth', 'client-certificate'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'auth', 'client-certificate'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'config', 'tls-refused'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'config', 'tls-refused'],
    ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'wrong-address', 'host-not-served'],
    ['CERT_HAS_EXPIRED', 'certificate-expired', undefined],
  ])('%s has the kind %s and the steps %s', (code, failureKind, steps) => {
    const fault = classify(error(code), 'tls');
    expect([fault.failureKind, fault.steps]).toEqual([failureKind, steps]);
  });

  it('of OpenSSL is in its own words', () => {
    expect(classify(error('ERR_SSL_X', { reason: 'bad certificate' }), 'tls').text).toBe(
      'TLS handshake failed: bad certificate',
    );
  });
});

test('an issue says once what went wrong: in its title', () => {
  const fault = classify(error('ERR_SSL_X', { reason: 'bad certificate' }), 'tls');
  expect(faultIssue(fault, 'a TLS handshake with shop:443')).toMatchObject({
    title: 'TLS handshake failed: bad certificate',
    detail: 'Expected a TLS handshake with shop:443.',
  });
});

test('a code and a message of anything that was thrown', () => {
  expect([codeOf(error('E')), codeOf({ code: 7 }), codeOf(null), codeOf('E')]).toEqual([
    'E',
    '',
    '',
    '',
  ]);
  expect([messageOf(new Error('m')), messageOf('m'), messageOf(null)]).toEqual(['m', 'm', 'null']);
});
