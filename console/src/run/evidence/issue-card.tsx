import type { ReactNode } from 'react';
import type { Severity } from '../../../../src/client/index.js';
import { Glyph } from '../../ui/glyph.js';
import { plainTimes } from '../../ui/plain-times.js';

interface IssueCardProps {
  severity: Severity;
  title: string;
  detail: string;
  children?: ReactNode;
}

/** Something that is not as it should be. */
export function IssueCard({ severity, title, detail, children }: IssueCardProps) {
  return (
    <div className={`issue issue-${severity}`}>
      <span className={`sev sev-${severity}`}>
        <Glyph state={severity} size={12} />
        {severity}
      </span>
      <b>{title}</b>
      <p>{plainTimes(detail)}</p>
      {children}
    </div>
  );
}
