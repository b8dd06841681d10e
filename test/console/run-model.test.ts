import { describe, expect, it } from '@jest/globals';
import { pushEvent } from '../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../console/src/model/run-model.js';
import { busiestAt, busyAt, costliestAt, rowsAt } from '../../console/src/model/view/rows-at.js';
import {
  causesAt,
  evidenceAt,
  findingsAt,
  measuredAt,
} from '../../console/src/model/view/findings-at.js';
import { chainAt, pathAt } from '../../console/src/model/view/path-at.js';
import { groundsAt } from '../../console/src/model/view/grounds-at.js';
import type { NamedEvent } from '../../src/client/index.js';
import { RECORDED } from '../support/streams/logs.js';
import { eventsOf, modelOf } from '../support/models/recorded-model.js';

/** What the console shows of a run at an event, as plain values. */
function shownAt(model: RunModel, seq: number, nodes: string[]) {
  return {
    health: nodes.map((id) => [
      id,
      model.health(id, seq),
      model.why(id, seq),
      model.examiner(id, seq)?.id,
    ]),
    rows: rowsAt(model, seq, new Set()).map((row) => [row.id, row.name]),
    busy: busyAt(model, seq).map((row) => row.id),
    usage: model.usageAt(seq),
    findings: findingsAt(model, seq),
    measured: measuredAt(model, seq),
    causes: causesAt(model, seq),
    path: [...pathAt(model, seq).edges],
  };
}

describe('RunModel', () => {
  it.each(Object.keys(RECORDED))('shows %s at each event as a fold up to there does', (name) => {
    const whole = modelOf(name);
    const nodes = [...whole.nodes.keys()];
    for (let seq = 1; seq <= whole.last; seq++)
      expect(shownAt(whole, seq, nodes)).toEqual(shownAt(modelOf(name, seq), seq, nodes));
  });

  it.each(Object.keys(RECORDED))('closes every bar and row of %s at its end', (name) => {
    const model = modelOf(name);
    expect(model.terminal?.sequence).toBe(model.last);
    for (const row of model.rows.values()) {
      expect(row.endSeq).not.toBeNull();
      for (const bar of row.bars) {
        expect(bar.endTime).not.toBeNull();
        expect(bar.endTime).toBeGreaterThanOrEqual(bar.startTime);
        expect(bar.endTime).toBeLessThanOrEqual(model.endTime);
      }
    }
  });

  it('takes no event twice and none after a gap', () => {
    const [first, second, third] = eventsOf('healthy');
    const model = new RunModel();
    for (const event of [first, first, third, second, second]) if (event) pushEvent(model, event);
    expect(model.events.map((event) => event.sequence)).toEqual([1, 2]);
  });

  it('says where the failure comes from and on what grounds', () => {
    const model = modelOf('root-cause');
    const [cause] = causesAt(model, model.last);
    if (!cause) throw new Error('the log has a root cause');
    expect(model.health(cause.node, model.last)).toBe('root');
    expect(causesAt(model, model.last - 1)).toEqual([]);
    const chain = chainAt(model, cause.node, model.last);
    expect(chain.at(-1)).toBe(cause.node);
    expect(new Set(chain).size).toBe(chain.length);
    const grounds = groundsAt(model, cause, model.last);
    expect(grounds[0]).toEqual({
      speaks: 'for',
      text: 'A critical measurement of this node itself',
    });
    const evidence = evidenceAt(model, model.last);
    expect(evidence.slice(0, cause.evidence.length)).toEqual(cause.evidence);
    expect(new Set(evidence).size).toBe(evidence.length);
    for (const seq of cause.evidence) expect(model.at(seq)?.name).toBe('llm.tool_result');
  });

  it('knows the deadline from the limits in the first event, and none without them', () => {
    const [first] = eventsOf('healthy');
    const deadlineWith = (limits?: object) => {
      const model = new RunModel();
      pushEvent(model, { ...first, data: { ...first?.data, limits } } as unknown as NamedEvent);
      return model.deadline;
    };
    const start = Date.parse(first?.timestamp ?? '');
    expect(deadlineWith({ timeoutSeconds: 60 })).toBe(start + 60_000);
    expect(deadlineWith()).toBeUndefined();
  });

  it('does not know the cost of calls without a price, and ranks agents by tokens then', () => {
    const costsOf = (...costs: (number | undefined)[]) => {
      const model = modelOf('healthy', 2);
      costs.forEach((cost, i) =>
        pushEvent(model, {
          ...model.at(1),
          sequence: 3 + i,
          name: 'llm.usage',
          event: { category: 'llm', action: 'usage' },
          data: {
            dispatch_id: null,
            turn: i + 1,
            attempt: 1,
            model: 'm',
            input_tokens: 2,
            output_tokens: 3,
            total_tokens: 5 * (i + 1),
            ...(cost !== undefined && { cost }),
          },
        } as unknown as NamedEvent),
      );
      const costliest = costliestAt(model, model.last);
      return [model.usageAt(model.last), costliest?.used.cost, costliest?.used.tokens];
    };
    expect(costsOf()).toEqual([{ tokens: 0, cost: 0 }, undefined, undefined]);
    expect(costsOf(undefined)).toMatchObject([{ cost: undefined }, undefined, 5]);
    expect(costsOf(undefined, 0.5)).toMatchObject([{ cost: 0.5 }, 0.5, 10]);
    expect(costsOf(0)).toMatchObject([{ cost: 0 }, 0, 5]);
  });

  it('knows whose calls took the longest, without the time in which it waited for others', () => {
    const model = modelOf('root-cause');
    const busiest = busiestAt(model, model.last);
    const waiting = model.rows.get('');
    expect(busiest?.row.role).toBe('worker');
    expect(busiest?.tookMs).toBeGreaterThan(0);
    expect(busiest?.tookMs).toBeLessThan((waiting?.endTime ?? 0) - (waiting?.startTime ?? 0));
    expect(model.at(busiest?.longestSeq ?? 0)?.name).toBe('llm.tool_result');
    expect(busiestAt(model, 2)).toBeUndefined();
  });

  it('finds the event at a time', () => {
    const model = modelOf('root-cause');
    expect(model.seqAt(0)).toBe(1);
    expect(model.seqAt(Infinity)).toBe(model.last);
    for (const { sequence, time } of model.events) {
      expect(model.timeAt(model.seqAt(time))).toBe(time);
      expect(model.seqAt(time)).toBeGreaterThanOrEqual(sequence);
    }
  });

  it('ignores events and fields that it does not know', () => {
    const model = new RunModel();
    const [first] = eventsOf('healthy');
    if (first) pushEvent(model, first);
    const later = { ...first, sequence: 2, name: 'llm.later', event: {}, data: null };
    pushEvent(model, later as unknown as NamedEvent);
    const empty = { ...first, sequence: 3, name: 'system.topology', data: { hierarchy: {} } };
    pushEvent(model, empty as unknown as NamedEvent);
    expect(model.last).toBe(3);
    expect(model.nodes.size).toBe(0);
  });
});
