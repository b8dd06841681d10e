import { escapePattern } from '../../../lib/text.js';
import type { Change } from '../../../domain/telemetry/records.js';
import type { MechanismKind } from './mechanism.js';

/** A change that was judged. */
interface JudgedChange {
  change: Change;
  score: number;
  liveAt: number;
  mechanism?: MechanismKind;
  for: string[];
  against: string[];
}

/** Below this score, a flag was flipped too long before the failure to have caused it. */
const LEAST_IN_TIME = 0.15;
/** The remaining factor of a change whose code did no harm until a flag activated it. */
const DORMANT = 0.3;

/**
 * Code behind a flag runs from the flip of the flag, and not from its deploy: a flag that flipped
 * at the onset takes over the mechanism of the change that reads it, and names that change as the
 * code that it activated.
 */
export function withFlaggedCode<Each extends JudgedChange>(suspects: readonly Each[]): Each[] {
  const pairs = suspects.flatMap((flag) => {
    if (flag.change.kind !== 'flag' || flag.score < LEAST_IN_TIME) return [];
    const code = suspects
      .filter(({ change, liveAt }) => reads(change, flag.change) && liveAt <= flag.liveAt)
      .toSorted((a, b) => b.score - a.score)[0];
    return code === undefined ? [] : [{ flag, code }];
  });
  return suspects.map((suspect): Each => {
    const code = pairs.find(({ flag }) => flag === suspect)?.code;
    if (code) return flipped(suspect, code);
    const flag = pairs.find((pair) => pair.code === suspect)?.flag;
    if (flag === undefined) return suspect;
    const against = `its code is behind the flag ${flag.change.flag ?? ''}, which was flipped later`;
    return { ...suspect, score: suspect.score * DORMANT, against: [...suspect.against, against] };
  });
}

function flipped<Each extends JudgedChange>(flag: Each, code: Each): Each {
  const { mechanism = flag.mechanism, change } = code;
  const [how] = code.for;
  return {
    ...flag,
    ...(mechanism && { mechanism }),
    score: 1 - (1 - flag.score) * (1 - code.score),
    for: [
      `the code of change ${change.id ?? change.commit ?? ''} runs behind this flag`,
      ...(code.mechanism !== undefined && how !== undefined ? [how] : []),
      ...flag.for,
    ],
  };
}

/** Whether a diff has the name of a flag. */
const reads = ({ diff }: Change, { flag = '' }: Change): boolean =>
  diff !== undefined &&
  flag.length >= SHORTEST_NAME &&
  new RegExp(`(?<![\\w-])${escapePattern(flag)}(?![\\w-])`).test(diff);

/** A shorter name may be any word of code. */
const SHORTEST_NAME = 4;
