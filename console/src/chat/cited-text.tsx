import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { shortRunId } from '../ui/format.js';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
const CODE_OR_ESCAPE = '`([^`]+)`|\\\\([!-/:-@[-`{-~])';
const LIST = '\\d+(?:, \\d+)*(?:,? and \\d+)?';
const MARKED = new RegExp(`(${ID})|\\bevents? (${LIST})|^- (\\d+): |${CODE_OR_ESCAPE}`, 'g');
const FIRST_ID = new RegExp(ID);

interface CitedTextProps {
  text: string;
  /** The run of the page, if it is the page of one. */
  runId?: string | undefined;
}

/**
 * Markdown whose citations are links: runs by their id, events by “event 345”. Code and escapes are
 * read, other markup is not.
 */
export function CitedText({ text, runId }: CitedTextProps) {
  const about = FIRST_ID.exec(text)?.[0] ?? runId;
  return (
    <>
      {text.split('\n').map((line, i) => (
        <p key={i} className={line.startsWith('- ') ? 'li' : ''}>
          {partsOf(line, about, runId)}
        </p>
      ))}
    </>
  );
}

/** Links to the events of a list such as `6, 17 and 18`, with what stands between them. */
const citesOf = (list: string, runId: string, key: number): ReactNode[] =>
  list.split(/(\d+)/).map((part, i) =>
    /^\d/.test(part) ? (
      <Link key={`${key} ${i}`} to="/runs/$runId" params={{ runId }} hash={part} className="cite">
        #{part}
      </Link>
    ) : (
      part
    ),
  );

function partsOf(line: string, about: string | undefined, runId: string | undefined): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of line.matchAll(MARKED)) {
    const [whole, run, events, item, code, escaped] = match;
    if (code !== undefined || escaped !== undefined) {
      parts.push(line.slice(at, match.index));
      parts.push(code === undefined ? escaped : <code key={match.index}>{code}</code>);
      at = match.index + whole.length;
      continue;
    }
    const target = run ?? about;
    if (target === undefined) continue;
    parts.push(line.slice(at, match.index));
    if (run !== undefined)
      parts.push(
        <Link key={match.index} to="/runs/$runId" params={{ runId: run }} className="cite">
          {run === runId ? 'this run' : shortRunId(run)}
        </Link>,
      );
    else parts.push(...citesOf(events ?? item ?? '', target, match.index));
    if (item !== undefined) parts.push(' ');
    at = match.index + whole.length;
  }
  parts.push(line.slice(at));
  return parts;
}
