import { EVERYWHERE } from './replies/compare.js';
import { RUN_ID, TOPOLOGY_ID, type Remark } from './question.js';

/** How an answer names a run that only is the nearest to a time. It is not what the conversation is about from then on. */
export const NEAREST = 'The nearest began at';

/** The run and the topology that the conversation discussed last. */
export interface Mention {
  runId: string | undefined;
  topologyId: number | undefined;
}

/** Lines that report on a topology. */
const LOOKED_AT = /^(?:topology (\d+) \(|no diagnosis of topology (\d+) has)/;
const RUN_OF = /\brun ([0-9a-f-]{36}) of topology (\d+)\b/;

/**
 * Returns the run and the topology that were discussed last: those that the person named, if they exist, and those on which the
 * oracle reported. Entries of a list, examples and the run that only was nearest to a time do not count. After a list of all topologies it is none.
 */
export function discussedLast(remarks: readonly Remark[]): Mention {
  let mentions: Mention[] = [];
  for (const { by, text } of remarks) {
    const lower = text.toLowerCase();
    if (by === 'oracle' && text.includes(NEAREST)) continue;
    if (by === 'oracle') mentions = mentions.filter((mention) => !isDenied(mention, lower));
    if (by === 'oracle' && lower.split('\n').includes(EVERYWHERE.toLowerCase())) mentions = [];
    mentions.push(...(by === 'person' ? namedIn(lower) : lower.split('\n').flatMap(lookedAtIn)));
  }
  const last = mentions.at(-1);
  if (!last || last.runId !== undefined) return last ?? { runId: undefined, topologyId: undefined };
  const { topologyId } = last;
  const run = mentions.findLast(
    (mention) => mention.runId !== undefined && mention.topologyId === topologyId,
  );
  return { topologyId, runId: run?.runId };
}

const isDenied = ({ runId, topologyId }: Mention, text: string): boolean =>
  (runId !== undefined && text.includes(`there is no diagnosis ${runId}`)) ||
  (topologyId !== undefined && text.includes(`there is no topology ${topologyId}.`));

const namedIn = (text: string): Mention[] => [
  ...(/\btopolog/.test(text) ? [...text.matchAll(TOPOLOGY_ID)] : []).map(([, id]) => ({
    runId: undefined,
    topologyId: Number(id),
  })),
  ...(text.match(RUN_ID) ?? []).map((runId) => ({ runId, topologyId: undefined })),
];

function lookedAtIn(line: string): Mention[] {
  if (line.startsWith('- ') || line.includes('there is no ')) return [];
  const [, runId, topologyId] = RUN_OF.exec(line) ?? [];
  if (runId !== undefined) return [{ runId, topologyId: Number(topologyId) }];
  const [, shown, undiagnosed] = LOOKED_AT.exec(line) ?? [];
  const looked = shown ?? undiagnosed;
  if (looked !== undefined) return [{ runId: undefined, topologyId: Number(looked) }];
  return (line.match(RUN_ID) ?? []).map((each) => ({ runId: each, topologyId: undefined }));
}
