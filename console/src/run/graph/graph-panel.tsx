import { memo, useCallback, useMemo } from 'react';
import { factAt } from '../../model/view/fact-at.js';
import { causesAt, findingsAt } from '../../model/view/findings-at.js';
import type { RunModel } from '../../model/run-model.js';
import { chainAt, pathAt, type FailurePath } from '../../model/view/path-at.js';
import { useRunView } from '../run-context.js';
import type { NodeState } from './node-card.js';
import { TopologyGraph } from './topology-graph.js';
import { NO_FOCUS, type Focus } from './viewport.js';

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
  const healthOf = useCallback((id: string) => model.health(id, seq), [model, seq]);
  const focus = useMemo(() => focusAt(model, seq, path), [model, seq, path]);
  return (
    <section className="panel panel-graph" aria-label="Topology">
      {nodes.length === 0 ? (
        <div className="skeleton skeleton-graph" aria-label="Reading the log" role="status" />
      ) : (
        <TopologyGraph
          nodes={nodes}
          healthOf={healthOf}
          stateOf={stateOf}
          path={path}
          picked={node}
          onPick={actions.pickNode}
          focus={focus}
        />
      )}
    </section>
  );
});

/** The causes with the lines down to them, then the rest of the path; else the worst finding. */
function focusAt(model: RunModel, seq: number, path: FailurePath): Focus {
  const causes = causesAt(model, seq).map(({ node }) => node);
  if (causes.length === 0) {
    const [worst] = findingsAt(model, seq);
    return { ...NO_FOCUS, always: worst ? [worst.node] : [] };
  }
  const line = causes.flatMap((cause) => chainAt(model, cause, seq).toReversed());
  return { always: causes, line: [...new Set(line)], ifRoom: [...path.nodes] };
}
