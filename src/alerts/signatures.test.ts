import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AlertSource } from './alert.js';
import { verifySignature } from './signatures.js';

const text = '{"alerts":[]}';
const body = Buffer.from(text);
const now = 1_800_000_000_000;
const seconds = now / 1_000;
const sign = (signed: string, secret = 'right') =>
  createHmac('sha256', secret).update(signed).digest('hex');
const verify = (source: AlertSource, headers: Record<string, string>, sent = body) =>
  verifySignature(source, { headers, body: sent, secrets: ['old', 'right'], now });

const generic = (t: number, signed = `${t}.${text}`, secret?: string) => ({
  'x-consilium-signature': `t=${t},v1=${sign(signed, secret)}`,
});

describe('a generic signature', () => {
  it('is good within five minutes, with either secret', () => {
    expect(verify('generic', generic(seconds))).toMatchObject({ kind: 'good' });
    expect(verify('generic', generic(seconds - 299, undefined, 'old')).kind).toBe('good');
    expect(verify('generic', generic(seconds + 299)).kind).toBe('good');
    const header = generic(seconds)['x-consilium-signature'].replace(',v1', ',v1=00,v1');
    expect(verify('generic', { 'x-consilium-signature': header }).kind).toBe('good');
  });

  it('names the delivery: the same for the same bytes and time only', () => {
    const id = (t: number) => verify('generic', generic(t));
    expect(id(seconds)).toEqual(id(seconds));
    expect(id(seconds)).not.toEqual(id(seconds + 1));
  });

  it.each([
    ['no header', {}],
    ['an old time', generic(seconds - 301)],
    ['a time to come', generic(seconds + 301)],
    ['another secret', generic(seconds, undefined, 'wrong')],
    ['another body', generic(seconds, `${seconds}.{}`)],
    ['a signature without its time', generic(seconds, text)],
    ['no time', { 'x-consilium-signature': `v1=${sign(text)}` }],
    ['an empty signature', { 'x-consilium-signature': `t=${seconds},v1=` }],
    ['nonsense', { 'x-consilium-signature': ',,==,t' }],
  ])('is refused with %s', (_, headers) =>
    expect(verify('generic', { ...headers }).kind).toBe('bad'),
  );
});

describe('a signature of PagerDuty', () => {
  const header = (...values: string[]) => ({
    'x-pagerduty-signature': values.map((value) => `v1=${value}`).join(','),
  });
  it('is one of several over the body', () => {
    expect(verify('pagerduty', header(sign('x'), sign(text)))).toMatchObject({
      kind: 'good',
      delivery: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(verify('pagerduty', header(sign('x'))).kind).toBe('bad');
    expect(verify('pagerduty', { 'x-pagerduty-signature': sign(text) }).kind).toBe('bad');
  });
});

describe('a signature of Grafana', () => {
  const name = 'x-grafana-alerting-signature';
  const at = 'x-grafana-alerting-timestamp';
  it('covers the time if the contact point sends it, and only then names the delivery', () => {
    expect(verify('grafana', { [name]: sign(text) })).toEqual({ kind: 'good' });
    const timed = sign(`${seconds}:${text}`);
    expect(verify('grafana', { [name]: timed, [at]: String(seconds) })).toMatchObject({
      kind: 'good',
      delivery: expect.any(String),
    });
    expect(verify('grafana', { [name]: timed }).kind).toBe('bad');
    const old = { [name]: sign(`1:${text}`), [at]: '1' };
    expect(verify('grafana', old).kind).toBe('bad');
  });
});

it('knows no signature of Alertmanager', () => expect(verify('alertmanager', {}).kind).toBe('bad'));
