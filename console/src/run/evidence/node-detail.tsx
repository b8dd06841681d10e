import { lineOf } from '../../model/event-words.js';
import { toneOf } from '../../model/problem.js';
import { causeText } from '../../model/view/cause-text.js';
import { causesAt, findingsAt } from '../../model/view/findings-at.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { HEALTH_WORDS } from '../../ui/words.js';
import { useRunView } from '../run-context.js';
import { EvidenceRow } from './evidence-chip.js';
import { IssueCard } from './issue-card.js';
import { NodeHistory } from './node-history.js';

/** A node: its health, what was measured, who looked, its neighbours. */
export function NodeDetail({ id }: { id: string }) {
  const { model, seq, actions } = useRunView();
  const node = model.nodes.get(id);
  if (!node) return <p className="empty">There is no node “{id}” in this run.</p>;
  const health = model.health(id, seq);
  const examiner = model.examiner(id, seq);
  const cause = causesAt(model, seq).find((each) => each.node === id);
  const topologyId = model.started?.topology_id;
  return (
    <article className="event nodeview" aria-label={`Node ${node.name}`}>
      <header className="event-head">
        <span className={`tonebar h-${health}`} />
        <div>
          <h3>{node.name}</h3>
          <p className="mute">
            {node.kind} · {node.team ?? 'no team'} · <code>{node.id}</code>
          </p>
        </div>
        <button
          className="btn btn-ghost btn-icon"
          onClick={() => actions.pickNode(null)}
          aria-label="Close"
        >
          <Icon name="x" size={14} />
        </button>
      </header>
      <p className="facts">
        <Glyph state={health} />
        <b>{HEALTH_WORDS[health]}</b>
        {examiner && <span className="busy">being examined by {examiner.name}</span>}
      </p>
      {health === 'unchecked' && (
        <IssueCard severity="info" title="Why it is unchecked" detail={model.why(id, seq)} />
      )}
      {findingsAt(model, seq)
        .filter((finding) => finding.node === id)
        .map(({ severity, title, detail, evidence }) => {
          const text = cause ? causeText(cause, detail) : { detail, reasons: [], inPlace: false };
          return (
            <IssueCard key={title} severity={severity} title={title} detail={text.detail}>
              {text.inPlace && (
                <ul className="cause-reasons">
                  {text.reasons.map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                </ul>
              )}
              <EvidenceRow evidence={evidence} />
            </IssueCard>
          );
        })}
      <Measured id={id} />
      {topologyId && <NodeHistory topologyId={topologyId} node={id} />}
      <h4>Neighbours</h4>
      <div className="neigh">
        <Neighbours
          title="Needed by"
          nodes={[...model.nodes.values()]
            .filter(({ dependsOn }) => dependsOn.includes(id))
            .map((one) => one.id)}
        />
        <Neighbours title="Needs" nodes={node.dependsOn} />
      </div>
      <Changes id={id} />
    </article>
  );
}

function Measured({ id }: { id: string }) {
  const { model, seq, actions } = useRunView();
  const results = model.nodes.get(id)?.results.filter((result) => result <= seq) ?? [];
  if (results.length === 0) return null;
  return (
    <>
      <h4>Measured</h4>
      <ul className="plain">
        {results.map((result) => {
          const event = model.at(result);
          if (!event) return null;
          return (
            <li key={result}>
              <button
                className={`rowlink tone-${toneOf(event)}`}
                onClick={() => actions.pick(result)}
              >
                <b>#{result}</b>
                <span className="grow">{lineOf(event)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Neighbours({ title, nodes }: { title: string; nodes: readonly string[] }) {
  const { model, seq, actions } = useRunView();
  return (
    <div>
      <p className="mute">{title}</p>
      {nodes.map((id) => (
        <button key={id} className="tag" onClick={() => actions.pickNode(id)}>
          <Glyph state={model.health(id, seq)} size={11} />
          {model.nameOf(id)}
        </button>
      ))}
      {nodes.length === 0 && <span className="mute">none</span>}
    </div>
  );
}

function Changes({ id }: { id: string }) {
  const { model, seq, actions } = useRunView();
  const changes = model.nodes.get(id)?.changes.filter((change) => change.seq <= seq) ?? [];
  if (changes.length === 0) return null;
  return (
    <>
      <h4>In this run</h4>
      <ol className="hist">
        {changes.map(({ seq: at, health, why }) => (
          <li key={`${at} ${health}`}>
            <button className="rowlink" onClick={() => actions.pick(at)}>
              <b>#{at}</b>
              <Glyph state={health} size={12} />
              <span className="grow">{why || HEALTH_WORDS[health]}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
