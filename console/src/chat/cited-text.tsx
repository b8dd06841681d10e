import { marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { useMemo, type ReactNode } from 'react';
import { CiteEvents, CiteRun } from './cite.js';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
const LIST = '\\d+(?:, \\d+)*(?:,? and \\d+)?';
const CITED = new RegExp(`(${ID})|\\bevents? (${LIST})`, 'g');
const FIRST_ID = new RegExp(ID);
/** An item of a list of events: `- 345: http_probe answers 500`. */
const EVENT_ITEM = /^(\d+): /;

interface CitedTextProps {
  text: string;
  /** The run of the page, if it is the page of one. */
  runId?: string | undefined;
}

/**
 * Markdown whose citations are links: runs by their id, events by “event 345”. Lists, code and
 * emphasis are read; HTML, links, images and tables are shown as they are written.
 */
export function CitedText({ text, runId }: CitedTextProps) {
  const blocks = useMemo(() => marked.lexer(text, { breaks: true }), [text]);
  const about = FIRST_ID.exec(text)?.[0] ?? runId;
  return blocks.map((block, i) => <Block key={i} token={block} about={about} />);
}

interface TokenProps {
  /** One of the kinds of `marked` itself: no extension adds others. */
  token: Token;
  /** The run whose events are cited. */
  about: string | undefined;
}

function Block({ token: read, about }: TokenProps): ReactNode {
  const token = read as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'hr':
      return null;
    case 'text':
      return <Inline tokens={token.tokens} about={about} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} about={about} />
        </p>
      );
    case 'heading':
      return (
        <p>
          <b>
            <Inline tokens={token.tokens} about={about} />
          </b>
        </p>
      );
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'list':
      return <List list={token} about={about} />;
    default:
      return <p className="as-written">{token.raw.trim()}</p>;
  }
}

function List({ list, about }: { list: Tokens.List; about: string | undefined }) {
  const items = list.items.map((item, i) => {
    const event = list.ordered || about === undefined ? null : EVENT_ITEM.exec(item.text);
    return (
      <li key={i}>
        {event?.[1] !== undefined && about !== undefined && (
          <>
            <CiteEvents list={event[1]} runId={about} />{' '}
          </>
        )}
        {item.tokens.map((token, k) => (
          <Block
            key={k}
            token={k === 0 && event ? without(token, event[0]) : token}
            about={about}
          />
        ))}
      </li>
    );
  });
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

/** A block without the beginning of its text. */
function without(token: Token, start: string): Token {
  const [first, ...rest] = (token as Tokens.Text).tokens ?? [];
  if (first?.type !== 'text') return token;
  const text = (first as Tokens.Text).text.slice(start.length);
  return { ...token, tokens: [{ ...first, text }, ...rest] };
}

function Inline({
  tokens = [],
  about,
}: {
  tokens: Token[] | undefined;
  about: string | undefined;
}) {
  return tokens.map((token, i) => <Span key={i} token={token} about={about} />);
}

function Span({ token: read, about }: TokenProps): ReactNode {
  const token = read as MarkedToken;
  switch (token.type) {
    case 'strong':
      return (
        <b>
          <Inline tokens={token.tokens} about={about} />
        </b>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} about={about} />
        </em>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return token.text;
    case 'text':
      return cited(token.text, about);
    default:
      return token.raw;
  }
}

function cited(text: string, about: string | undefined): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { 0: whole, 1: run, 2: events = '', index } of text.matchAll(CITED)) {
    if (run === undefined && about === undefined) continue;
    parts.push(text.slice(at, index));
    at = index + whole.length;
    if (run !== undefined) parts.push(<CiteRun key={index} runId={run} />);
    else if (about !== undefined)
      parts.push(<CiteEvents key={index} list={events} runId={about} />);
  }
  return [...parts, text.slice(at)];
}
