import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spec, started } from '../incidents/drafts.js';
import { SLOTS, type DraftEvent } from '../../../src/domain/events/event.js';
import { tokenCeiling, tokenShares } from '../../../src/domain/limits/token-shares.js';
import type { LogPort } from '../../../src/event-log/log-port.js';
import type { MakeLog } from './log-suite.js';

const place = { dispatch_id: null, turn: 1, attempt: 1 };
const usage = (tokens: number): DraftEvent => ({
  name: 'llm.usage',
  source: null,
  data: {
    ...place,
    model: 'm',
    input_tokens: tokens,
    output_tokens: 0,
    context_tokens: 0,
    max_context_tokens: 1,
    finish_reason: 'stop',
  },
});
const sent = (id: string): DraftEvent => {
  const data = { task: '?', dispatch_id: id, agent_id: '1' };
  return id.includes('_')
    ? { name: 'dispatch.worker', source: null, data: { ...data, worker_name: 'w' } }
    : { name: 'dispatch.team', source: null, data: { ...data, team_name: 't' } };
};
const reported = (id: string): DraftEvent => ({
  name: 'dispatch.report',
  source: null,
  data: { dispatch_id: id, status: 'ok', reasons: [], summary: 's', findings: [] },
});

/** A run whose agents do nothing but use tokens. */
class Run {
  private readonly id = randomUUID();
  private readonly shares;
  private readonly steps = new Map<string, { epoch: number; step: number }>();

  private constructor(
    private readonly log: LogPort,
    budget: number,
  ) {
    this.shares = tokenShares(budget);
  }

  static async of(log: LogPort, budget: number, dispatches: string[]): Promise<Run> {
    const run = new Run(log, budget);
    await log.create(run.id, spec, [started]);
    await run.claim('top');
    await run.dispatch(...dispatches);
    return run;
  }

  async dispatch(...ids: string[]): Promise<void> {
    await this.append('top', ...ids.map(sent));
    for (const id of ids) await this.claim(id);
  }

  async claim(writer: string): Promise<void> {
    const claim = await this.log.claim(this.id, writer);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    this.steps.set(writer, claim);
  }

  async append(writer: string, ...events: DraftEvent[]) {
    const at = this.steps.get(writer) as { epoch: number; step: number };
    const done = events.some((event) => event.name === 'dispatch.report');
    return this.log.append(this.id, { writer, epoch: at.epoch, step: ++at.step, events, done });
  }

  /** Reserves. @returns the tokens granted, or the kind of the answer */
  async reserve(writer: string, want: number): Promise<number | string> {
    const answer = await this.log.reserve(
      this.id,
      { writer, epoch: this.steps.get(writer)?.epoch ?? 0 },
      want,
      this.shares,
    );
    return answer.kind === 'granted' ? answer.tokens : answer.kind;
  }

  settle = (writer: string, tokens: number) => this.append(writer, usage(tokens));
  report = (writer: string) => this.append(writer, reported(writer));

  async read(): Promise<{ data: Record<string, unknown> }[]> {
    const { frames } = await this.log.read(this.id, 0, 1_000);
    return frames.map(
      (frame) =>
        JSON.parse(/^data: (.*)$/m.exec(frame.toString())?.[1] ?? '') as {
          data: Record<string, unknown>;
        },
    );
  }
}

/** What every implementation of `LogPort` must do about the token budget of a run. */
export function budgetSuite(make: MakeLog): void {
  const runOf = (budget: number, ...dispatches: string[]) => Run.of(make(), budget, dispatches);

  it('keeps a share for the top, and one for team supervisors', async () => {
    const run = await runOf(1_000, 'd1', 'd1_1');
    expect(await run.reserve('d1_1', 800)).toBe(800);
    await run.settle('d1_1', 800);
    expect(await run.reserve('d1_1', 1)).toBe('spent');
    expect(await run.reserve('d1', 150)).toBe(100);
    await run.settle('d1', 100);
    expect(await run.reserve('d1', 1)).toBe('spent');
    expect(await run.reserve('top', 100)).toBe(100);
  });

  it('lets others wait while a call in progress may give tokens back', async () => {
    const run = await runOf(1_000, 'd1', 'd1_1', 'd1_2');
    await run.report('d1_2');
    expect(await run.reserve('d1_1', 700)).toBe(700);
    expect(await run.reserve('d1', 300)).toBe('wait');
    await run.settle('d1_1', 10);
    expect(await run.reserve('d1', 300)).toBe(300);
  });

  it('owes a share to every agent at work, and none to one that has reported', async () => {
    const run = await runOf(1_000, 'd1', 'd2', 'd1_1', 'd1_2', 'd2_1');
    // 400 of the workers' 800 are shared out: 200 a team, so 100, 100 and 200.
    expect(await run.reserve('d1_1', 501)).toBe(500);
    await run.settle('d1_1', 500);
    expect(await run.reserve('d1_1', 1)).toBe('spent');
    expect(await run.reserve('d1_2', 100)).toBe(100);
    await run.settle('d1_2', 10);
    expect(await run.reserve('d2_1', 200)).toBe(200);
    await run.settle('d2_1', 20);
    await run.report('d2_1');
    await run.report('d2');
    // The share of that team is free now, but for the other worker's: 400 for one team, 200 each.
    expect(await run.reserve('d1_1', 80)).toBe(80);
    expect(await run.reserve('d1_2', 190)).toBe(190);
  });

  it('keeps the share of an agent that has not begun, however many others have reported', async () => {
    const teams = ['d1', 'd2', 'd3', 'd4'];
    const run = await runOf(1_000, ...teams, 'd1_1', 'd2_1', 'd3_1');
    for (const [team, tokens] of [
      ['d1', 300],
      ['d2', 200],
    ] as const) {
      expect(await run.reserve(`${team}_1`, tokens)).toBe(tokens);
      await run.settle(`${team}_1`, tokens);
      await run.report(`${team}_1`);
      await run.report(team);
    }
    // 300 of 800 are left, of which 100 are those of team 4.
    expect(await run.reserve('d3_1', 300)).toBe(200);
    await run.settle('d3_1', 200);
    expect(await run.reserve('d3_1', 1)).toBe('spent');
  });

  it('grants what is left to those that have not used their share, if agents were sent when less was left', async () => {
    const run = await runOf(1_000, 'd1', 'd1_1');
    expect(await run.reserve('d1_1', 700)).toBe(700);
    await run.settle('d1_1', 700);
    await run.dispatch('d2', 'd3', 'd2_1', 'd3_1');
    // 100 of 800 are left, and a share is 133.
    expect(await run.reserve('d2_1', 80)).toBe(80);
    expect(await run.reserve('d3_1', 80)).toBe('wait');
    await run.settle('d2_1', 80);
    expect(await run.reserve('d3_1', 80)).toBe(20);
    await run.settle('d3_1', 20);
    expect(await run.reserve('d3_1', 1)).toBe('spent');
    expect(await run.reserve('d1_1', 1)).toBe('spent');
  });

  it('owes a team its share before it has dispatched workers', async () => {
    const run = await runOf(1_000, 'd1', 'd2', 'd1_1');
    expect(await run.reserve('d1_1', 700)).toBe(600);
  });

  it('frees what a lost agent had reserved with the next claim of its writer', async () => {
    const run = await runOf(1_000, 'd1', 'd1_1');
    expect(await run.reserve('d1_1', 800)).toBe(800);
    expect(await run.reserve('d1', 900)).toBe('wait');
    await run.claim('d1_1');
    expect(await run.reserve('d1', 900)).toBe(900);
  });

  it('takes back what a call did not need', async () => {
    const run = await runOf(1_000, 'd1', 'd1_1');
    await run.reserve('d1_1', 800);
    expect(await run.reserve('d1_1', 0)).toBe(0);
    expect(await run.reserve('d1', 900)).toBe(900);
  });

  it('refuses a writer that was fenced off', async () => {
    const run = await runOf(1_000, 'd1');
    await run.report('d1');
    expect(await run.reserve('d1', 1)).toBe('fenced');
    expect(await run.reserve('d2', 1)).toBe('fenced');
  });

  it('is never exceeded by parallel agents whose calls use what they reserved', async () => {
    const ids = ['d1', 'd2', 'd1_1', 'd1_2', 'd2_1', 'd2_2'];
    const op = fc.record({
      writer: fc.constantFrom('top', ...ids),
      want: fc.integer({ min: 1, max: 600 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 3_000 }),
        fc.array(op, { minLength: 10, maxLength: 60 }),
        async (budget, ops) => {
          const run = await runOf(budget, ...ids);
          const open = new Map<string, number>();
          let used = 0;
          for (const { writer, want, part } of ops) {
            const held = open.get(writer);
            if (held !== undefined) {
              const took = Math.floor(held * part);
              expect(await run.settle(writer, took)).toMatchObject({ tokens: (used += took) });
              open.delete(writer);
              continue;
            }
            const answer = await run.reserve(writer, want);
            if (typeof answer !== 'number') continue;
            open.set(writer, answer);
            const type =
              writer === 'top'
                ? 'global_supervisor'
                : writer.includes('_')
                  ? 'worker'
                  : 'team_supervisor';
            const reserved = [...open.values()].reduce((sum, tokens) => sum + tokens, 0);
            expect(used + reserved).toBeLessThanOrEqual(
              type === 'global_supervisor' ? budget : tokenCeiling(tokenShares(budget), type),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('emits a warning of its use once, with the numbers of that moment', async () => {
    const run = await runOf(50_000);
    const message = `Approaching token budget (${SLOTS.tokensInWords}/50,000 tokens).`;
    const warning: DraftEvent = {
      name: 'system.warning',
      source: null,
      data: { message, code: 'LIMIT_WARNING', current_value: SLOTS.tokens, percent: SLOTS.percent },
      when: { once: 'token-soft', tokens: { from: 40_000, budget: 50_000 } },
    };
    for (const tokens of [39_999, 1_234, 500]) await run.append('top', usage(tokens), warning);
    const given = (await run.read()).filter(({ data }) => data['code'] === 'LIMIT_WARNING');
    expect(given.map(({ data }) => data)).toEqual([
      {
        message: 'Approaching token budget (41,233/50,000 tokens).',
        code: 'LIMIT_WARNING',
        current_value: 41_233,
        percent: 82,
      },
    ]);
  });

  it('does not warn that the budget is nearly used after it is used up', async () => {
    const run = await runOf(3_000);
    const told = (code: string, from: number): DraftEvent => ({
      name: 'system.warning',
      source: null,
      data: { message: `${SLOTS.tokensInWords}/3,000`, code },
      when: { once: code, tokens: { from, budget: 3_000 } },
    });
    const all = [told('NEAR', 2_400), told('PART', 0), told('USED', 3_000)];
    for (const tokens of [2_292, 1_491, 10]) await run.append('top', usage(tokens), ...all);
    const given = (await run.read()).flatMap(({ data }) => ('code' in data ? [data] : []));
    expect(given).toEqual([
      { message: '2,292/3,000', code: 'PART' },
      { message: '3,783/3,000', code: 'USED' },
    ]);
  });
}
