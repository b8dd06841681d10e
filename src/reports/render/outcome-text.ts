import {
  originNote,
  type NextStep,
  type Report,
  type RootCause,
} from '../../domain/diagnosis/finding.js';
import { fewFirst, stepMark, stepNote } from '../../domain/diagnosis/steps/step-text.js';
import { newsIn, uncheckedText, withoutName } from '../../domain/diagnosis/wording.js';
import { clip } from '../../lib/text.js';
import type { DiagnosisOutcome } from '../diagnosis-outcome.js';

const MOST_CAUSES = 3;
const MOST_FINDINGS = 10;
const MOST_STEPS = 5;
const MOST_EVIDENCE = 3;
const MOST_DOUBTS = 3;
const MOST_OF_A_PAGE = 100;
const LINE_CHARACTERS = 500;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu;

/** A line of a message: its subject, its text, a command, and lines below it. */
export interface Item {
  about?: string;
  text: string;
  command?: string;
  below: string[];
}

/** A message about an outcome, without the markup of any chat. Each text is one bounded line. */
export interface OutcomeText {
  title: string;
  impact: string;
  sections: { title: string; items: Item[] }[];
  /** The agents' text besides the headline and the impact. */
  narrative?: string;
  /** URL of the whole run; undefined if the service does not know its public address. */
  url?: string;
}

const line = (text: string): string =>
  clip(
    text
      .slice(0, 4 * LINE_CHARACTERS)
      .replaceAll(UNSEEN, ' ')
      .trim(),
    LINE_CHARACTERS,
  );

/** A line, unless it is empty. */
const shown = (text: string): string[] => [line(text)].filter((each) => each !== '');

/** The level of detail: a message has less than a page. */
interface Extent {
  /** All findings with their details and evidence, and the text of the agents. */
  whole?: boolean;
  /** Names of nodes by their ids. */
  names?: ReadonlyMap<string, string>;
}

/** @param publicUrl address of the service as people reach it */
export function textOf(
  outcome: DiagnosisOutcome,
  publicUrl: string | undefined,
  extent: Extent = {},
): OutcomeText {
  const { report, topologyName, headline, runId } = outcome;
  const said = line(`${headline} ${report?.impact ?? ''}`);
  const narrative = extent.whole === true ? newsIn(line(report?.narrative ?? ''), said) : '';
  return {
    title: line(`${topologyName}: ${headline}`),
    impact: line(report?.impact ?? ''),
    sections: report ? sectionsOf(report, extent) : [],
    ...(narrative !== '' && { narrative }),
    ...(publicUrl !== undefined && { url: `${publicUrl}/console/runs/${runId}` }),
  };
}

function sectionsOf(
  report: Report,
  { whole = false, names = new Map() }: Extent,
): OutcomeText['sections'] {
  const nameOf = (id: string) => line(names.get(id) ?? id);
  const { root_causes: causes, findings, next_steps: steps = [], unchecked } = report;
  const listed = findings.filter(({ severity }) => whole || severity !== 'info');
  const most = (few: number) => (whole ? MOST_OF_A_PAGE : few);
  const sections = [
    section('Root causes', causes, most(MOST_CAUSES), (cause) => causeItem(cause, report, nameOf)),
    section(
      'Findings',
      listed,
      most(MOST_FINDINGS),
      ({ node, severity, title, detail, evidence, origin }) => ({
        about: nameOf(node),
        // A long title must not push out the name of its source.
        text: `${line(`${severity}: ${title}`)}${originNote({ origin })}`,
        below: whole ? [...shown(detail), ...citedLines(evidence, report)] : [],
      }),
    ),
    section('Repairs', report.repairs ?? [], most(MOST_STEPS), ({ node, outcome, text }) => ({
      about: nameOf(node),
      text: line(`${outcome}: ${text}`),
      below: [],
    })),
    section('Next steps', fewFirst(steps, most(MOST_STEPS)), most(MOST_STEPS), stepItem),
    section('Not checked', unchecked, most(MOST_STEPS), (each) => ({
      about: nameOf(each.node),
      text: line(uncheckedText(each)),
      below: [],
    })),
  ];
  return sections.filter(({ items }) => items.length > 0);
}

function section<T>(title: string, all: readonly T[], most: number, item: (each: T) => Item) {
  const items = all.slice(0, most).map(item);
  const more = all.length - items.length;
  return { title, items: more > 0 ? [...items, { text: `and ${more} more`, below: [] }] : items };
}

function causeItem(cause: RootCause, report: Report, nameOf: (id: string) => string): Item {
  const { node, title, confidence, chain = [], evidence, not_excluded: open = [] } = cause;
  const name = nameOf(node);
  // A title of the service begins with the name.
  const what = withoutName(name, title);
  return {
    about: name,
    text: line(`${what}, ${Math.round(confidence * 100)} % sure`),
    below: [
      ...(chain.length > 1 ? [line(`Chain: ${chain.map(nameOf).join(' → ')}`)] : []),
      ...citedLines(evidence, report),
      ...open
        .slice(0, MOST_DOUBTS)
        .map((each) => line(`Not excluded: ${nameOf(each.node)} (${each.reason})`)),
      ...(open.length > MOST_DOUBTS
        ? [`Not excluded: ${open.length - MOST_DOUBTS} more nodes`]
        : []),
    ],
  };
}

const citedLines = (evidence: readonly number[], { citations = [] }: Report): string[] =>
  evidence
    .slice(0, MOST_EVIDENCE)
    .flatMap((sequence) => citations.find((each) => each.sequence === sequence) ?? [])
    .map(({ sequence, tool, summary }) => line(`#${sequence} ${tool}: ${summary}`));

const stepItem = ({ text, command, ...step }: NextStep): Item => ({
  about: stepMark(step),
  text: line(`${text}${stepNote(step)}`),
  ...(command !== undefined && { command: line(command) }),
  below: [],
});
