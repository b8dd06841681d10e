import { editDistance } from '../lib/text.js';
import { VARIABLES } from './variables.js';

/** Short names are too near to those of others: `HOME` is no `HOST`. */
const SHORTEST = 6;
const LONG = 9;

/** Names in an environment that differ from one of ours by a slip. One that goes on after ours (`OPENAI_API_KEY_2`) may well be another's. */
export function misspeltVariables(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const ours = VARIABLES.map(({ name }) => name);
  return Object.keys(env).flatMap((name) => {
    if (name.length < SHORTEST || ours.includes(name)) return [];
    const most = name.length < LONG ? 1 : 2;
    const meant = ours.find(
      (known) => !name.startsWith(known) && editDistance(name, known) <= most,
    );
    return meant === undefined ? [] : [{ name, meant }];
  });
}
