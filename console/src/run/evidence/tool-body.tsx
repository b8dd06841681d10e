import { argumentsOf } from '../../model/event-words.js';
import type { EventOf } from '../../model/types.js';
import { toneOf } from '../../model/problem.js';
import { toolFindingsOf } from '../../model/read.js';
import { claimText } from '../../model/view/cause-text.js';
import { causesAt, findingsAt } from '../../model/view/findings-at.js';
import { Disclosure } from '../../ui/disclosure.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { IssueCard } from './issue-card.js';
import { Numbers } from './numbers.js';
import { Picture } from './picture.js';

export function ToolCallBody({ event }: { event: EventOf<'llm.tool_call'> }) {
  const { model, seq, actions } = useRunView();
  const { tool, args, tool_call_id: id } = event.data;
  const result = model.calls.get(id)?.resultSeq ?? null;
  return (
    <>
      <p className="lead">
        Calls{' '}
        <code>
          {tool}({argumentsOf(args)})
        </code>
      </p>
      {result !== null && result <= seq ? (
        <button className="btn" onClick={() => actions.pick(result)}>
          To its result <b>#{result}</b> <Icon name="arrow" size={13} />
        </button>
      ) : (
        <p className="mute">No result yet.</p>
      )}
    </>
  );
}

export function ToolResultBody({ event }: { event: EventOf<'llm.tool_result'> }) {
  const { model, seq, actions } = useRunView();
  const { data } = event;
  const found = toolFindingsOf(data.result);
  const call = model.calls.get(data.tool_call_id);
  const node = call?.bar.node;
  const claims = [...causesAt(model, seq), ...findingsAt(model, seq)].filter(({ evidence }) =>
    evidence.includes(event.sequence),
  );
  const citing = [...new Set(claims.map((claim) => claimText(model, claim)))];
  const numbers = Object.keys(found.measurements).length;
  return (
    <>
      <p className={`lead lead-${toneOf(event)}`}>
        {data.status === 'ok' ? found.summary : `${data.status}: ${found.error}`}
      </p>
      <p className="facts">
        <span>{duration(data.duration_ms)}</span>
        {node !== undefined && (
          <span>
            node{' '}
            <button className="linkish" onClick={() => actions.pickNode(node)}>
              {node}
            </button>
          </span>
        )}
        {data.truncated && <span className="warn">cut to fit</span>}
        {data.status !== 'ok' && <span className="warn">measured nothing</span>}
      </p>
      <Picture result={data.result} />
      {found.issues.map((issue) => (
        <IssueCard key={issue.title} {...issue} />
      ))}
      {citing.length > 0 && (
        <div className="cited">
          <p>
            <Icon name="link" size={13} /> Cited by
          </p>
          <ul>
            {citing.map((claim) => (
              <li key={claim}>{claim}</li>
            ))}
          </ul>
        </div>
      )}
      {numbers > 0 && (
        <Disclosure title="All numbers" count={numbers}>
          <Numbers measurements={found.measurements} />
        </Disclosure>
      )}
      {data.sources && data.sources.length > 0 && (
        <Disclosure title="Sources" count={data.sources.length} open>
          <ul className="plain">
            {data.sources.map(({ path, snippet }) => (
              <li key={path}>
                <code>{path}</code> {snippet}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  );
}
