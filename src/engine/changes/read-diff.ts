import type { Change } from '../../domain/telemetry/records.js';
import { fileKind, INERT, type FileKind } from './file-kind.js';

/** Only the beginning of a larger diff is read. */
const MOST_LINES = 1_500;
const MOST_LINE = 300;

/** A diff by the sign of its lines, without comments, telemetry, and moved lines. */
export interface DiffView {
  files: readonly string[];
  kinds: readonly FileKind[];
  removed: readonly string[];
  added: readonly string[];
  /** Both: added and removed. */
  changed: readonly string[];
  /** Added lines inside loops. */
  inLoop: readonly string[];
  context: readonly string[];
  /** All lines of code in their order, before and after the change. */
  before: readonly string[];
  after: readonly string[];
  comments: readonly string[];
  /** It changes nothing that a running system loads. */
  cosmetic: boolean;
}

const COMMENT = /^\s*(\/\/|#(?!\[)|--\s|\*|\/\*|<!--|"""|''')/;
const LOOP = /^\s*(for|while|foreach)\b|\.(forEach|map)\(/;
const LOOP_ANYWHERE = /\bfor\s+\w+.*\bin\b/;
/** Lines of logging, metrics and request ids: they report a failure, they do not cause it. */
const TELEMETRY =
  /\b(log(ger)?|LOG_\w+|slog|console|zap|print\w*)\b[.(]|LOG_\w+\(|fields?\s*=\s*append|SetAttributes|prometheus\.|MustRegister|NewHistogram|NewCounter|X-Request-Id|reqIDKey|"request_id"/i;

/** A key whose values are nested below it in YAML. */
const BLOCK = /^\s*(?:- )?["']?([A-Za-z][\w.-]{0,80})["']?:\s*$/;
/** A name without meaning outside of its block: `retry: { max: 12 }`. */
const NAMELESS = /^(max|min|count|limit|times|number|value|enabled)\s*[:=]/i;

/** `log.file.level = info`, `level: debug`, and not a call. */
const ASSIGNMENT = /^(?:- )?["']?[\w.-]{1,80}["']?\s*[:=]\s*[^()]*$|:$/;
/** Kinds of files that contain settings, and no statements. */
const SETS: ReadonlySet<FileKind> = new Set(['config', 'logging']);

/** The position of the end of a transaction or a lock matters, even if the line is the same. */
const ENDS = /\b(?:commit|unlock)\w{0,12}\(/i;

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

/** `+++ b/config/app.yaml`, `--- values/prod.yaml`. */
const HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?(?!\/dev\/null)(\S*[./]\S*)/;

const filesInHeaders = (lines: readonly string[]): string[] => [
  ...new Set(lines.flatMap((line) => HEADER.exec(line)?.[1] ?? [])),
];

export function readDiff({ diff = '', ...recorded }: Pick<Change, 'diff' | 'files'>): DiffView {
  const lines = diff.split('\n', MOST_LINES);
  const files = recorded.files ?? filesInHeaders(lines);
  const removed: string[] = [];
  const added: string[] = [];
  const context: string[] = [];
  const before: string[] = [];
  const after: string[] = [];
  const comments: string[] = [];
  const looped = new Set<string>();
  const loops: number[] = [];
  const blocks: [indent: number, key: string][] = [];
  // A statement that a person ran, or an applied manifest, has no signs.
  const isAllNew = !lines.some((line) => /^(?:[+-]|@@)/.test(line));
  for (const line of lines) {
    if (/^(---|\+\+\+) /.test(line) || line.startsWith('@@')) continue;
    const sign = isAllNew ? '+' : line[0] === '+' || line[0] === '-' ? line[0] : ' ';
    const isBare = isAllNew || (sign === ' ' && line[0] !== ' ');
    const body = (isBare ? line : line.slice(1)).slice(0, MOST_LINE);
    if (body.trim() === '') continue;
    const comment = COMMENT.test(body);
    const indent = indentOf(body);
    const opensLoop = LOOP.test(body);
    // Removed lines are not part of the code that runs now.
    if (sign !== '-') {
      if ((opensLoop || LOOP_ANYWHERE.test(body)) && !comment) loops.push(indent);
      else if (indent <= (loops.at(-1) ?? -1) && !opensLoop) loops.pop();
    }
    if (comment) {
      if (sign !== ' ') comments.push(body.trim());
      continue;
    }
    while ((blocks.at(-1)?.[0] ?? -1) >= indent) blocks.pop();
    const key = BLOCK.exec(body)?.[1];
    const within = NAMELESS.test(body.trim()) ? blocks.at(-1)?.[1] : undefined;
    if (key !== undefined) blocks.push([indent, key]);
    const code = `${within === undefined ? '' : `${within}.`}${body.trim().replace(/\s+/g, ' ')}`;
    if (sign !== '+') before.push(code);
    if (sign !== '-') after.push(code);
    if (sign === '-') removed.push(code);
    else if (sign === ' ') context.push(code);
    else {
      added.push(code);
      if (indent > (loops.at(-1) ?? Infinity)) looped.add(code);
    }
  }
  const moved = new Set(removed.filter((line) => added.includes(line) && !ENDS.test(line)));
  const kinds = [...new Set(files.map(fileKind))];
  // A setting of logging is configuration, not a logging statement.
  const isCode =
    kinds.length === 0
      ? ![...removed, ...added].every((line) => ASSIGNMENT.test(line))
      : kinds.some((kind) => !SETS.has(kind));
  const telling = (line: string) => !moved.has(line) && !(isCode && TELEMETRY.test(line));
  const view = { removed: removed.filter(telling), added: added.filter(telling) };
  const changed = [...view.removed, ...view.added];
  return {
    ...view,
    files,
    kinds,
    changed,
    context,
    before,
    after,
    comments,
    inLoop: view.added.filter((line) => looped.has(line)),
    cosmetic:
      changed.length === 0 || (kinds.length > 0 && kinds.every((kind) => INERT.includes(kind))),
  };
}

/** Quoted texts. */
export const stringsIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    [...line.matchAll(/"([^"]{2,120})"|'([^']{2,120})'|`([^`]{2,200})`/g)].map(
      ([, double, single, back]) => double ?? single ?? back ?? '',
    ),
  );

const NO_CALL =
  /^(if|for|while|switch|return|func|function|catch|match|def|elif|and|or|not|range|len|append|make|new|int|string|float64|str|print|Errorf|Printf|Println|Sprintf)$/;

/** Names of called functions, with their receivers. */
export const callsIn = (lines: readonly string[]): string[] =>
  lines
    .map((line) => line.replace(/"[^"]*"/g, '""'))
    .flatMap((line) => [...line.matchAll(/([A-Za-z_][\w.]*)\s*\(/g)].map(([, name = '']) => name))
    .filter((name) => !NO_CALL.test(name.split('.').at(-1) ?? ''));

/**
 * A line with its numbers and texts blanked out: lines with the same shape differ only in values.
 */
export const shapeOf = (line: string): string =>
  line.replace(/(?<![\w.])-?\d[\d_]*(?:\.\d+)?/g, '0').replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '""');

export const some = (lines: readonly string[], pattern: RegExp): boolean =>
  lines.some((line) => pattern.test(line));

/** Whether a diff changes only files of a kind. */
export const isOnly = ({ kinds }: Pick<DiffView, 'kinds'>, kind: FileKind): boolean =>
  kinds.length > 0 && kinds.every((each) => each === kind);
