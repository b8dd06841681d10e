import { Link } from '@tanstack/react-router';
import { shortRunId } from '../ui/format.js';

/** A link to a run that is cited. */
export function CiteRun({ runId }: { runId: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId }} className="cite">
      {shortRunId(runId)}
    </Link>
  );
}

/** Links to the events of a list such as `6, 17 and 18`, with what stands between them. */
export function CiteEvents({ list, runId }: { list: string; runId: string }) {
  return list.split(/(\d+)/).map((part, i) =>
    /^\d/.test(part) ? (
      <Link key={i} to="/runs/$runId" params={{ runId }} hash={part} className="cite">
        #{part}
      </Link>
    ) : (
      part
    ),
  );
}
