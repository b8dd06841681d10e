import { lineOf } from '../../model/event-words.js';
import type { EventOf } from '../../model/types.js';
import type { LogEvent } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { EvidenceRow } from './evidence-chip.js';
import { IssueCard } from './issue-card.js';

interface DispatchBodyProps {
  event: EventOf<'dispatch.team'> | EventOf<'dispatch.worker'>;
}

export function DispatchBody({ event }: DispatchBodyProps) {
  const { model, seq, actions } = useRunView();
  const { data } = event;
  const report = model.rows.get(data.dispatch_id)?.endSeq ?? null;
  return (
    <>
      <p className="lead">
        Sends{' '}
        <b>{event.name === 'dispatch.team' ? event.data.team_name : event.data.worker_name}</b>
      </p>
      <blockquote>{data.task}</blockquote>
      {report !== null && report <= seq ? (
        <button className="btn" onClick={() => actions.pick(report)}>
          To its report <b>#{report}</b> <Icon name="arrow" size={13} />
        </button>
      ) : (
        <p className="mute">Has not reported yet.</p>
      )}
    </>
  );
}

export function ReportBody({ event }: { event: EventOf<'dispatch.report'> }) {
  const { model } = useRunView();
  const { status, reasons, summary, findings, dispatch_id: id } = event.data;
  const row = model.rows.get(id);
  return (
    <>
      <p className="facts">
        <Glyph state={status} /> <span>{status}</span>
        {reasons.map((reason) => (
          <code key={reason}>{reason}</code>
        ))}
        {row && <span>{duration(event.time - row.startTime)}</span>}
      </p>
      <div className={`bubble bubble-${row?.role}`}>{summary}</div>
      {findings.map(({ node, title, severity, detail, evidence }) => (
        <IssueCard
          key={`${node} ${title}`}
          severity={severity}
          title={`${model.nameOf(node)}: ${title}`}
          detail={detail}
        >
          <EvidenceRow evidence={evidence} />
        </IssueCard>
      ))}
    </>
  );
}

export function EndBody({ event }: { event: LogEvent }) {
  return <p className="lead">{lineOf(event)}</p>;
}
