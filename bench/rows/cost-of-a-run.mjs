import { startHelper } from '../lib/helper.mjs';
import { runners, TRIGGER } from '../lib/runners.mjs';
import { median } from '../lib/stats.mjs';
import { Table } from '../lib/table.mjs';

export const title = 'Cost of a run';
export const about = `A run of 13 agents (one global supervisor, three teams, nine workers with a probe each) on a model and a tool that answer at once. A process
of its own POSTs and reads each answer to its end, each on a new connection. One at a time: the median over 20 runs and more; fifty at a
time: runs a second.

- **consilium**: one service process (\`ROLE=all\`, defaults), the built-in runbook model, an HTTP probe that answers without a network.
- **bare BullMQ flow**: one process with the same three queues and concurrencies; a flow of the same 13 jobs, which do nothing but XADD as
  often as a run of consilium has events, evenly; each job sends its XADDs in one pipeline. Bytes as large as a benchmark event's.
- **LangGraph**: \`createSupervisor\` over three \`createSupervisor\` over nine \`createReactAgent\`, with a MemorySaver, in one process
  behind an HTTP server; a model that answers at once. It hands over to one agent after the other, keeps nothing on disk and streams nothing.`;

export async function run({ redis, reps, size, brief }) {
  const table = new Table();
  const callers = await startHelper('callers');
  const contenders = await runners(redis, callers, table);
  const atOnce = Math.max(2, Math.round(50 * size));
  const alone = 'one at a time';
  const together = `${atOnce} at a time`;
  const counts = { consilium: [20, 200], 'bare BullMQ flow': [40, 600], LangGraph: [4, 12] };
  const share = (count) => Math.max(2, Math.ceil(count * (brief ? 0.1 : 1)));

  for (const [by, { target }] of Object.entries(contenders)) {
    const warm = by === 'LangGraph' ? 2 : 20;
    await callers.call('many', { ...target, ...TRIGGER, count: share(warm), atOnce: 2 });
  }
  for (let rep = 0; rep < reps; rep++)
    for (const [by, { target }] of Object.entries(contenders)) {
      const [few, many] = counts[by];
      const one = await callers.call('many', {
        ...target,
        ...TRIGGER,
        count: share(few),
        atOnce: 1,
      });
      table.add(`${alone}, to the first event`, by, 'ms', median(one.first));
      table.add(`${alone}, to the terminal event`, by, 'ms', median(one.total));
      const count = by === 'LangGraph' ? share(many) : Math.max(atOnce * 2, share(many));
      const fifty = await callers.call('many', {
        ...target,
        ...TRIGGER,
        count,
        atOnce: Math.min(count, atOnce),
      });
      table.add(together, by, 'runs/s', fifty.perSecond);
    }
  if (contenders.LangGraph)
    table.note(
      'LangGraph at many at a time: 12 runs at once in each round; its throughput does not depend on it, it uses one core.',
    );
  table.ratio(`${alone}, to the terminal event`, 'consilium', 'bare BullMQ flow', '<=', 2.5);
  const [flow, ours] = [
    table.median(together, 'bare BullMQ flow'),
    table.median(together, 'consilium'),
  ];
  table.target(`${together}: bare BullMQ flow / consilium`, flow / ours, '<=', 2.5);
  table.ratio(together, 'consilium', 'LangGraph', '>=', 10);
  await Promise.all([
    ...Object.values(contenders).map(({ process }) => process.stop()),
    callers.stop(),
  ]);
  return table;
}
