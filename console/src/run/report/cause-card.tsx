import type { NextStep, RootCause } from '../../../../src/domain/diagnosis/finding.js';
import { causeText, kindOfCause } from '../../model/view/cause-text.js';
import { findingOf } from '../../model/view/findings-at.js';
import { groundsAt } from '../../model/view/grounds-at.js';
import { Disclosure } from '../../ui/disclosure.js';
import { moment, percent } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { useRunView } from '../run-context.js';
import { Grounds } from './grounds.js';
import { NodeLink } from './node-link.js';
import { Step } from './step.js';

/** So many reasons are read at a glance; the rest folds out. */
const SHOWN = 2;
/** Number of characters that distinguish ids of changes. */
const SHORT_ID = 12;

interface CauseCardProps {
  cause: RootCause;
  at: number;
  of: number;
  /** What to do first about it. */
  first: NextStep | undefined;
}

/** A root cause: node, confidence, detail, evidence, what to do first, grounds. */
export function CauseCard({ cause, at, of, first }: CauseCardProps) {
  const { model, seq } = useRunView();
  const own = findingOf(model, cause.node, seq);
  const kind = kindOfCause(cause);
  const { detail, reasons, inPlace } = causeText(cause, own?.detail);
  const shown = inPlace ? reasons.slice(0, SHOWN) : [];
  const more = reasons.slice(shown.length);
  return (
    <section className="cause" aria-label={`Root cause ${at} of ${of}`}>
      <header>
        <span className="cause-tag">
          <Glyph state="root" size={14} />
          Root cause{of > 1 && ` ${at} of ${of}`}
        </span>
        <b className="cause-conf">
          {percent(cause.confidence)}
          <span> sure</span>
        </b>
      </header>
      <h3>
        <NodeLink node={cause.node} strong>
          {of === 1 ? model.nameOf(cause.node) : cause.title}
        </NodeLink>
        {kind && <span className="tag tag-quiet">{kind}</span>}
      </h3>
      {shown.length > 0 && (
        <ul className="cause-reasons">
          {shown.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {detail && <p className="cause-detail">{detail}</p>}
      <CauseOrigin cause={cause} />
      <EvidenceRow evidence={cause.evidence} />
      {first && (
        <div className="cause-first">
          <h4>
            <Icon name="arrow" size={13} />
            Do first
          </h4>
          <Step step={first} />
        </div>
      )}
      <Grounds grounds={groundsAt(model, cause, seq)} />
      {more.length > 0 && (
        <Disclosure
          title={inPlace ? 'More reasons' : 'How the confidence was computed'}
          count={more.length}
        >
          <ul className="grounds">
            {more.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </section>
  );
}

/** Since when it shows, and by which change. */
function CauseOrigin({ cause: { change, onset } }: { cause: RootCause }) {
  if (!change && !onset) return null;
  return (
    <p className="cause-detail cause-origin">
      {onset && (
        <span>
          <b>Since</b> <time dateTime={onset}>{moment(onset)}</time>
        </span>
      )}
      {change && (
        <span>
          <b>Change</b> <code title={change}>{change.slice(0, SHORT_ID)}</code>
        </span>
      )}
    </p>
  );
}
