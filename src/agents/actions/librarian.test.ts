import { describe, expect, it } from '@jest/globals';
import { sessionOf, turnOf } from '../../../test/support/models/agent-session.js';
import {
  librarianReport,
  librarianSource,
  partsToRead,
  prepareReading,
  summariesOf,
} from './librarian.js';

const source = { agent_id: '3', agent_type: 'worker', agent_name: 'Ada', team_name: 'T' } as const;
const large = (characters: number) => ({ tool: 'look', output: { text: 'x'.repeat(characters) } });
const of = (...calls: Parameters<typeof turnOf>) => {
  const messages = turnOf(...calls);
  const ids = messages.flatMap((message) => (message.role === 'result' ? [message.id] : []));
  return { session: sessionOf({ messages }).session, ids };
};

describe('what a librarian reads', () => {
  it('is the large results of the latest turn', () => {
    const { session, ids } = of(large(60_000), { tool: 'look', output: { text: 'small' } });
    const parts = partsToRead(session);
    expect(new Set(parts.map(({ id }) => id))).toEqual(new Set([ids[0]]));
    expect(parts[0]?.from).toBe(0);
    expect(parts.at(-1)?.to).toBe(JSON.stringify({ text: 'x'.repeat(60_000) }).length);
  });

  it('is nothing of a failed call, of what was read again, or of an agent without a turn', () => {
    expect(partsToRead(of({ ...large(60_000), failed: true }).session)).toEqual([]);
    expect(partsToRead(of({ ...large(60_000), tool: 'read_result' }).session)).toEqual([]);
    expect(partsToRead(sessionOf().session)).toEqual([]);
  });

  it('comes in parts that join without a gap', () => {
    const parts = partsToRead(of(large(900_000)).session);
    expect(parts.length).toBeLessThanOrEqual(8);
    for (const [i, part] of parts.entries()) expect(part.from).toBe(parts[i - 1]?.to ?? 0);
  });

  it('M9: is data between marks, with its origin', () => {
    const { session, ids } = of(large(60_000));
    const part = { id: ids[0] ?? '', from: 10, to: 20 };
    const { prompt, tools } = prepareReading(session, [], part);
    expect(tools).toEqual([]);
    const text = JSON.stringify(prompt[1]);
    expect(text).toContain(`characters 10 to 20 of`);
    expect(text).toContain('Data code: ');
  });
});

describe('what a librarian says', () => {
  it('is joined for each result, and names what was not read', () => {
    const { session, ids } = of(large(1_000), large(1_000));
    const [one = '', other = ''] = ids;
    const parts = [
      { id: one, from: 0, to: 500 },
      { id: one, from: 500, to: 900 },
      { id: other, from: 0, to: 1_011 },
    ];
    const said = ['a', ' b ', ''];
    expect(summariesOf(session, { dispatch_id: 'd', parts, said })).toEqual({
      [one]: 'a\nb\nNot read: characters 900 to 1011.',
    });
  });

  it.each([
    [{}, [], 'ok'],
    [{ t1: 'a' }, ['NOT_DONE'], 'partial'],
    [{}, ['NOT_DONE'], 'failed'],
  ])('is a report: %j with %j is %s', (summaries, reasons, status) => {
    const parts = [{ id: 't1', from: 0, to: 1 }];
    const open = { dispatch_id: 'd1_1_l1', parts, said: [] };
    const { data } = librarianReport(source, open, summaries, reasons);
    expect(data).toMatchObject({ dispatch_id: 'd1_1_l1', status, reasons, findings: [] });
  });

  it('has a name of its own', () => {
    expect(librarianSource(source)).toMatchObject({
      agent_type: 'worker',
      agent_name: 'Librarian of Ada',
    });
    expect(librarianSource(source).agent_id).not.toBe('3');
  });
});
