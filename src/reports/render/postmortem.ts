import type { Alert } from '../../alerts/alert.js';
import type { EventData, NamedEvent } from '../../domain/events/event.js';
import type { DiagnosisOutcome } from '../diagnosis-outcome.js';
import { escapeMarkdown } from '../../lib/markdown.js';
import { renderSections } from './markdown.js';
import type { OutcomeText } from './outcome-text.js';

const MOST_LINES = 50;
/** Names of alerts in the timeline, so that they leave room for what was measured. */
const MOST_NAMES = 10;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu;
/** Codes of warnings that belong into the history of an incident. */
const TOLD = new Set(['ALERT_FIRING', 'ALERT_RESOLVED', 'THRESHOLD_NEAR']);

/** The sections that people must write, because a diagnosis does not know their content. */
const FOR_PEOPLE = [
  ['Impact on users', 'Who was affected, since when, and how much?'],
  ['What was done', 'Which steps ended the incident, and when?'],
  ['What went well, what did not', ''],
  ['Actions', 'What prevents a repetition, who does it, until when?'],
] as const;

interface Line {
  at: string;
  text: string;
}

/**
 * The line of an event in the history of the incident; undefined for the many that are not part of
 * it.
 * @param names display names of nodes by their ids; a node without one is shown by its id
 */
export function timelineOf(
  event: NamedEvent,
  names: ReadonlyMap<string, string>,
): Line | undefined {
  const at = event.timestamp;
  switch (event.name) {
    case 'lifecycle.started':
      return { at, text: `the diagnosis began: ${firstLine(event.data.user_message)}` };
    case 'system.warning':
      return TOLD.has(event.data.code) ? { at, text: event.data.message } : undefined;
    case 'llm.tool_result':
      return measured(event.data, at, names);
    case 'lifecycle.completed':
      return { at, text: `the diagnosis ended: ${event.data.summary}` };
    case 'lifecycle.failed':
      return { at, text: `the diagnosis failed: ${event.data.error}` };
    case 'lifecycle.cancelled':
      return { at, text: `the diagnosis was cancelled: ${event.data.reason}` };
    default:
      return undefined;
  }
}

/**
 * When the alerts of a run began and resolved, as their senders say: before the diagnosis and after
 * it, too. A time that a sender does not give is left out.
 */
export function alertLines(alerts: Iterable<Alert>): Line[] {
  const all = [...alerts];
  const names = new Set([...new Set(all.map(({ name }) => name))].slice(0, MOST_NAMES));
  return all
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, startsAt, endsAt }) => [
      ...lineAt(startsAt, `the alert began: ${name}`),
      ...lineAt(endsAt, `the alert ended: ${name}`),
    ]);
}

function lineAt(time: string | undefined, text: string): Line[] {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? [] : [{ at: new Date(ms).toISOString(), text }];
}

/** The lines in the order of their times. */
const inOrder = (lines: readonly Line[]): Line[] =>
  lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));

/** The message of an alert has the words of its sender below. */
const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** A measurement that shows a failure. */
function measured(
  { tool, node, result }: EventData['llm.tool_result'],
  at: string,
  names: ReadonlyMap<string, string>,
): Line | undefined {
  const { status, summary } = (result ?? {}) as { status?: unknown; summary?: unknown };
  if (node === undefined || status !== 'failed' || typeof summary !== 'string') return undefined;
  return { at, text: `${tool} of ${names.get(node) ?? node}: ${summary}` };
}

/**
 * A draft of a postmortem: the results of the diagnosis, and headings for what only people know.
 */
export function renderPostmortem(
  outcome: DiagnosisOutcome,
  { impact, sections, url }: OutcomeText,
  timeline: readonly Line[],
): string {
  const entries = withoutRepetitions(inOrder(timeline));
  const shown = entries.length > MOST_LINES ? entries.slice(0, MOST_LINES - 1) : entries;
  const lines = shown.map(({ at, text }) => `- ${at}: ${line(text)}`);
  const last = entries.at(-1);
  if (shown.length < entries.length && last)
    lines.push(
      `- and ${entries.length - shown.length - 1} more`,
      `- ${last.at}: ${line(last.text)}`,
    );
  const known = sections.filter(({ title }) => title !== 'Next steps');
  const steps = sections.filter(({ title }) => title === 'Next steps');
  const parts = [
    `# Postmortem: ${line(outcome.topologyName)}, ${outcome.endedAt.slice(0, 10)}`,
    '> A draft that a diagnosis wrote. Check it, and fill in what it cannot know.',
    `## Summary\n\n${line(outcome.headline)}${impact === '' ? '' : `\n\n${escapeMarkdown(impact)}`}`,
    `## Timeline\n\n${lines.join('\n')}`,
    ...renderSections(known),
    ...renderSections(steps.map((each) => ({ ...each, title: 'Proposed steps' }))),
    ...FOR_PEOPLE.map(([title, hint]) => `## ${title}\n\n_${hint || 'To be written.'}_`),
    ...(url === undefined ? [] : [`[The whole run](${url})`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Each text once, at its first time: several agents may measure the same. */
function withoutRepetitions(timeline: readonly Line[]): Line[] {
  const seen = new Map<string, { at: string; last: string; times: number }>();
  for (const { at, text } of timeline) {
    const before = seen.get(text);
    seen.set(text, { at: before?.at ?? at, last: at, times: (before?.times ?? 0) + 1 });
  }
  return [...seen].map(([text, { at, last, times }]) => ({
    at,
    text: times === 1 ? text : `${text} (${times} times, last at ${last})`,
  }));
}

const line = (text: string): string =>
  escapeMarkdown(text.slice(0, 500).replaceAll(UNSEEN, ' ').trim());
