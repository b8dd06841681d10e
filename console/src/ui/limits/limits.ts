import { useQuery } from '@tanstack/react-query';
import { limitBoundsQuery } from '../../api/queries.js';

/** A limit of a run, with its words and its bounds. Wire contract, section 4. */
export interface LimitField {
  name: string;
  snake: string;
  label: string;
  help: string;
  unit: string;
  min: number;
  max: number;
  chat: number;
  diagnosis: number;
}

type Words = [label: string, unit: string, help: string];

/**
 * In the order in which they are shown; limits that a later service adds follow under their own
 * names.
 */
const WORDS: Record<string, Words> = {
  maxIterations: ['Turns of one agent', 'turns', 'maximum calls of its model'],
  tokenBudget: ['Tokens of the run', 'tokens', 'all agents share them'],
  timeoutSeconds: ['Time of the run', 's', 'then agents report their findings'],
  softWarningPercent: ['Warn of turns at', '%', ''],
  tokenWarningPercent: ['Warn of tokens at', '%', ''],
  maxToolCallsPerTurn: ['Tool calls in a turn', 'calls', ''],
  maxParallelTools: ['Tools at once', 'calls', 'of one agent'],
  toolTimeoutSeconds: ['Time of one tool', 's', ''],
};
const ORDER = Object.keys(WORDS);
const rankOf = (name: string): number =>
  (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);

/** The limits as the service bounds them; none until it has answered. */
export function useLimits(): LimitField[] {
  const items = useQuery(limitBoundsQuery()).data?.items ?? [];
  return items
    .toSorted((a, b) => rankOf(a.name) - rankOf(b.name))
    .map(({ name, minimum, maximum, defaults }) => {
      const [label, unit, help] = WORDS[name] ?? [name, '', ''];
      return {
        name,
        snake: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        label,
        unit,
        help,
        min: minimum,
        max: maximum,
        ...defaults,
      };
    });
}
