import { describe, expect, test } from '@jest/globals';
import { Drain } from './drain.js';
import { isGone, isNew, LogTemplates, templateText } from './log-templates.js';

const line = (at: number, body: string, severity = 'INFO') => ({
  at,
  body,
  severity,
  node: 'api',
  labels: {},
});

describe('Drain', () => {
  test('groups lines that differ in their variable parts', () => {
    const drain = new Drain();
    const ids = ['user 17 logged in from 10.0.0.1', 'user 4 logged in from 10.0.0.77'].map(
      (text) => drain.add(text).id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(drain.add('user 9 logged in from 10.1.1.1').words.join(' ')).toBe(
      'user <*> logged in from <*>',
    );
  });

  test.each([
    ['most of which is variable', (i: number) => `GET /accounts/${i}/me ${200 + i}`],
    ['that are a number', (i: number) => `${200 + i}`],
    ['of JSON without a message', (i: number) => `{"op":"store","req":"1f3a9b${i}c0d2"}`],
  ])('groups lines %s', (_, text) => {
    const drain = new Drain();
    const ids = Array.from({ length: 20 }, (_each, i) => drain.add(text(i)).id);
    expect(new Set(ids).size).toBe(1);
  });

  test('takes no mask for a word that lines share', () => {
    const drain = new Drain();
    const [opened, dropped] = ['opened by user', 'dropped at peer'].map(
      (end) => drain.add(`conn 10.0.0.1 17 4 0 ${end}`).id,
    );
    expect(opened).not.toBe(dropped);
  });

  test('keeps different lines apart', () => {
    const drain = new Drain();
    expect(drain.add('cache miss for key a').id).not.toBe(drain.add('order placed by user b').id);
  });

  test('stays bounded whatever comes', () => {
    const drain = new Drain();
    const random = (i: number) =>
      Array.from(
        { length: 3 + (i % 40) },
        (_, j) => `w${String.fromCharCode(97 + ((i * j) % 26))}${'x'.repeat(i % 7)}`,
      ).join(' ');
    const ids = new Set(Array.from({ length: 20_000 }, (_, i) => drain.add(random(i)).id));
    expect(ids.size).toBeLessThanOrEqual(5_001);
  });
});

describe('LogTemplates', () => {
  test('tells new templates from usual and gone ones', () => {
    const templates = new LogTemplates(100);
    for (let at = 0; at < 100; at += 10) templates.add(line(at, `tick ${at}`));
    templates.add(line(150, 'cannot connect to db', 'ERROR'));
    const [tick, error] = templates.all();
    if (!tick || !error) throw new Error('two templates expected');
    expect([isNew(tick, 100), isNew(error, 100)]).toEqual([false, true]);
    expect([isGone(tick, 400_000), isGone(error, 400_000)]).toEqual([true, false]);
    // Of a part of the lines, only a new error says something.
    const [cutTick, cutError] = [tick, error].map((each) => ({ ...each, isCut: true as const }));
    expect(isGone(cutTick ?? tick, 400_000)).toBe(false);
    expect(isNew(cutError ?? error, 100)).toBe(true);
    expect(isNew({ ...error, error: false, isCut: true }, 100)).toBe(false);
    expect(error).toMatchObject({ error: true, first: 150, count: 1 });
    expect(templateText(tick)).toBe('tick <*>');
  });

  test('groups structured lines by their message and error', () => {
    const templates = new LogTemplates(0);
    const write = (i: number, fields: object) =>
      templates.add(line(i, JSON.stringify({ user: `u-${i}-x`, ...fields, at: i }), 'ERROR')).id;
    const ids = Array.from({ length: 20 }, (_, i) => write(i, { msg: 'validation_failed' }));
    expect(new Set(ids).size).toBe(1);
    expect(write(1, { msg: 'validation_failed', error: 'no such column' })).not.toBe(ids[0]);
    expect(write(1, { msg: 'stored' })).not.toBe(ids[0]);
  });

  test('groups by the place in the code where a line names one', () => {
    const templates = new LogTemplates(0);
    const ids = ['a.b.Orders#12 items [1]', 'a.b.Orders#12 items [1, 2, 3] and more'].map(
      (body) => templates.add(line(1, body)).id,
    );
    expect(ids[0]).toBe(ids[1]);
  });
});
