import { escapePattern } from '../../lib/text.js';
import type { Observations, Anomalies } from '../observations.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { isBackground, type LogTemplate } from '../logs/log-templates.js';
import { nodesNamedInLine } from '../logs/named-in-line.js';
import { holderOfRefused } from '../logs/refused-certificate.js';
import { isSameMessage } from '../logs/same-message.js';
import { quoteLine } from '../logs/said-in-line.js';
import { stepsOfText } from '../logs/steps-of-text.js';
import { statedBy } from '../logs/stated-by-server.js';
import { clock, FAR, OF_SPEAKER, type Sign } from './sign.js';

const ABOUT_OTHERS =
  /upstream|downstream (call|dependency)|from upstream|answered 5\d\d|\b50[234]\b/i;
/**
 * A process that lacks a local port or a file descriptor reaches nothing: the target that it names
 * is healthy.
 */
const LACKS = /EADDRNOTAVAIL|cannot assign requested address|too many open files|EMFILE|ENFILE/i;

/** A server's statement about itself, though its client has logged it. */
const STATED_WEIGHT = 1.5;

/** Maximum characters of a log line in a sentence. */
const MOST_QUOTED = 160;

/** The signs of nodes in the log lines of the failure, and their statements about others. */
export function signsInLogs(
  { nodes, frame }: Observations,
  { appeared, isFar }: Anomalies,
): Sign[] {
  const callers = callersOf(nodes);
  return appeared
    .filter(({ error, warning }) => error || warning)
    .flatMap((template): Sign[] => {
      const { node, error, sample, surges } = template;
      // A chance event does not show when the failure began.
      const isChance = isBackground(template, frame);
      const at = isChance ? undefined : template.first;
      const said = kindOf(template);
      const holder = holderOfRefused(sample.body);
      const own =
        holder === 'speaker' || (said && (OF_SPEAKER.has(said.kind) || LACKS.test(sample.body)));
      const names = subjectsIn(sample.body, nodesNamedInLine(sample.body, nodes));
      // A node names its callers to report which of them it refuses.
      const blamed = names.filter((id) => id !== node && !callers.get(node ?? '')?.has(id));
      const server = statedBy(node, sample.body, nodes);
      const accused = own || server !== undefined ? [] : blamed;
      const refused =
        said?.kind === 'auth' ? names.filter((id) => callers.get(node ?? '')?.has(id)) : [];
      const about = {
        ...(at !== undefined && { at }),
        ...(said ?? { tells: 0 }),
        ...stepsOfText(said?.kind, sample.body),
      };
      const quoted = quoteLine(sample.body, MOST_QUOTED);
      const says = `${surges ? 'surging' : 'new'} ${error ? 'error' : 'warning'} since ${clock(template.first)}: ${quoted}`;
      // A server that refuses a client works correctly: the client's data is wrong.
      if (node !== undefined && refused.length > 0)
        return refused.map((id) => ({
          ...about,
          node: id,
          from: 'caller',
          weight: 1.2,
          spreads: false,
          says: `${node} refuses it: ${quoted}`,
        }));
      const stated: Sign[] =
        server === undefined
          ? []
          : [
              {
                ...about,
                node: server,
                from: 'caller',
                weight: STATED_WEIGHT,
                spreads: false,
                says: `it refuses ${node ?? 'a client'}: ${quoted}`,
              },
            ];
      const others = accused.map((id): Sign => ({
        ...about,
        node: id,
        from: 'caller',
        weight: 1.2,
        spreads: true,
        says: `${node ?? 'another node'} names it in an error: ${quoted}`,
      }));
      if (node === undefined) return others;
      const named = accused.map((id): Sign => ({
        node,
        ...(at !== undefined && { at }),
        from: 'log',
        weight: -0.5,
        tells: 0,
        spreads: false,
        says: `its errors name ${id}`,
      }));
      const isPassedOn = ABOUT_OTHERS.test(sample.body);
      const passedOn: Sign = {
        node,
        ...(at !== undefined && { at }),
        from: 'log',
        weight: -0.4,
        tells: 0,
        spreads: false,
        says: 'its errors are about what it calls',
      };
      const shown: Sign = {
        ...about,
        // A node that logs that it cannot connect is running itself.
        ...(said?.kind === 'unreachable' && { steps: 'unreachable-of-another' }),
        node,
        from: 'log',
        weight: (error ? 1 : 0.6) * (isFar(node) || isChance ? FAR : 1),
        says,
        spreads: isPassedOn || accused.length > 0 || server !== undefined || holder === 'far end',
      };
      return [shown, ...stated, ...others, ...named, ...(isPassedOn ? [passedOn] : [])];
    });
}

/**
 * One message that fails repeatedly, while nothing but the code that handles it fails: the message
 * is faulty.
 */
function kindOf(template: LogTemplate): ReturnType<typeof kindOfText> {
  const said = kindOfText(template.sample.body);
  const isOfCode = said === undefined || said.kind === 'exception' || said.kind === 'retry-storm';
  return isOfCode && isSameMessage(template) ? { kind: 'bad-data', tells: 0.8 } : said;
}

/** `stock failed 3 times, going on with orders`: the failed node is named before it. */
const subjectsIn = (line: string, names: readonly string[]): readonly string[] => {
  const subjects = names.filter((name) =>
    new RegExp(
      `${escapePattern(name)}["']?(?: \\w+){0,2} (?:failed|crashed|exited|died|timed out|is (?:down|unavailable|unreachable|not responding))\\b`,
      'i',
    ).test(line),
  );
  return subjects.length > 0 ? subjects : names;
};

/** Nodes from which a node is reached by calls. */
function callersOf(nodes: Observations['nodes']): Map<string, Set<string>> {
  const callers = new Map<string, Set<string>>();
  for (const { id, dependsOn } of nodes)
    for (const callee of dependsOn) callers.set(callee, (callers.get(callee) ?? new Set()).add(id));
  for (const reached of callers.values())
    for (const id of reached) for (const next of callers.get(id) ?? []) reached.add(next);
  return callers;
}
