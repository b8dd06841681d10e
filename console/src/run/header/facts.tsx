import type { ReactNode } from 'react';
import { busyAt } from '../../model/view/rows-at.js';
import { number } from '../../model/number.js';
import { clock, cost, duration, shortNumber } from '../../ui/format.js';
import { useRunView } from '../run-context.js';

/** What the run took: time, cost, tokens, agents, nodes. */
export function Facts() {
  const { model, seq, live, endTime } = useRunView();
  const { startTime, deadline } = model;
  const limits = model.started?.limits;
  const used = model.usageAt(seq);
  const rows = [...model.rows.values()].filter((row) => row.startSeq <= seq);
  const ended = model.endedAt(seq);
  const nodes = [...model.nodes.keys()];
  // Nothing was read yet: nothing is known, not nothing was used.
  if (model.last === 0) return null;
  const checked = nodes.filter(
    (node) => !['unknown', 'unchecked'].includes(model.health(node, seq)),
  );
  return (
    <dl className="factsline">
      <Fact
        label="Time"
        title={
          deadline === undefined
            ? undefined
            : `of at most ${duration(deadline - startTime)}, until ${clock(deadline)}`
        }
      >
        {duration(endTime - startTime)}
        {live && deadline !== undefined && (
          <>
            <span className="of"> of {duration(deadline - startTime)}</span>
            <Used part={(endTime - startTime) / (deadline - startTime)} />
          </>
        )}
      </Fact>
      {/* Without a model there is neither, which is known at the end only. */}
      {(used.tokens > 0 || !ended) && (
        <>
          <Fact
            label="Cost"
            title={
              used.cost === undefined
                ? 'Not known: the models have no price'
                : "In the currency of the models' prices"
            }
          >
            {cost(used.cost)}
          </Fact>
          <Fact label="Tokens" title={limits && `of at most ${number(limits.tokenBudget)}`}>
            {shortNumber(used.tokens)}
            {live && limits && (
              <>
                <span className="of"> of {shortNumber(limits.tokenBudget)}</span>
                <Used part={used.tokens / limits.tokenBudget} />
              </>
            )}
          </Fact>
        </>
      )}
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

const NEAR = 0.8;

/** How much of a limit is used, for the eye: the numbers say it, too. */
function Used({ part }: { part: number }) {
  return (
    <span className={`used${part >= NEAR ? ' is-near' : ''}`} aria-hidden="true">
      <i style={{ width: `${Math.min(1, part) * 100}%` }} />
    </span>
  );
}

interface FactProps {
  label: string;
  title?: string | undefined;
  children: ReactNode;
}

function Fact({ label, title, children }: FactProps) {
  return (
    <div className="fact" title={title}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
