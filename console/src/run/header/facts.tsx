import type { ReactNode } from 'react';
import { busyAt } from '../../model/view/rows-at.js';
import { cost, duration, number, shortNumber } from '../../ui/format.js';
import { useRunView } from '../run-context.js';

/** What the run took: time, cost, tokens, agents, nodes. */
export function Facts() {
  const { model, seq, endTime } = useRunView();
  const used = model.usageAt(seq);
  const rows = [...model.rows.values()].filter((row) => row.startSeq <= seq);
  const ended = model.endedAt(seq);
  const nodes = [...model.nodes.keys()];
  const checked = nodes.filter(
    (node) => !['unknown', 'unchecked'].includes(model.health(node, seq)),
  );
  return (
    <dl className="factsline">
      <Fact label="Time">{duration(endTime - model.startTime)}</Fact>
      <Fact label="Cost" title="In the currency of the models' prices">
        {cost(used.cost)}
      </Fact>
      <Fact label="Tokens">{shortNumber(used.tokens)}</Fact>
      <Fact label={ended ? 'Agents' : 'At work'}>
        {ended ? number(rows.length) : `${busyAt(model, seq).length} of ${rows.length}`}
      </Fact>
      {nodes.length > 0 && (
        <Fact label="Checked">
          {checked.length}
          <span className="of"> of {nodes.length}</span>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ label, title, children }: { label: string; title?: string; children: ReactNode }) {
  return (
    <div className="fact" title={title}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
