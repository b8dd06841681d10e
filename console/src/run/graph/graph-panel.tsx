import { memo, useCallback, useMemo } from 'react';
import { factAt } from '../../model/view/fact-at.js';
import { causesAt, findingsAt } from '../../model/view/findings-at.js';
import { pathAt } from '../../model/view/path-at.js';
import { useRunView } from '../run-context.js';
import type { NodeState } from './node-card.js';
import { TopologyGraph } from './topology-graph.js';

/** The topology of the run, as it was at the event that is looked at. */
export const GraphPanel = memo(function GraphPanel() {
  const { model, seq, node, actions } = useRunView();
  // The model changes in place: what is seen of it at one event does not.
  const path = useMemo(() => pathAt(model, seq), [model, seq]);
  const facts = useMemo(() => new Map<string, string>(), [model, seq]);
  const stateOf = useCallback(
    (id: string): NodeState => {
      const fact = facts.get(id) ?? factAt(model, id, seq);
      facts.set(id, fact);
      const examiner = model.examiner(id, seq);
      const busy = examiner?.bars.some(
        ({ kind, node, startSeq, endSeq }) =>
          kind === 'tool' && node === id && startSeq <= seq && (endSeq === null || endSeq > seq),
      );
      return {
        health: model.health(id, seq),
        fact,
        examiner: examiner?.name ?? null,
        busy: busy ?? false,
      };
    },
    [model, seq, facts],
  );
  const nodes = useMemo(() => [...model.nodes.values()], [model, model.nodes.size]);
  const causes = causesAt(model, seq);
  const focus = causes.length > 0 ? causes : findingsAt(model, seq).slice(0, 1);
  return (
    <section className="panel panel-graph" aria-label="Topology">
      {nodes.length === 0 ? (
        <div className="skeleton skeleton-graph" aria-label="Reading the log" role="status" />
      ) : (
        <TopologyGraph
          nodes={nodes}
          stateOf={stateOf}
          path={path}
          picked={node}
          onPick={actions.pickNode}
          focus={focus.map((one) => one.node)}
        />
      )}
    </section>
  );
});
