import { editDistance } from '../lib/text.js';
import { VARIABLES } from './variables.js';

/** Shorter names are too similar to common ones, such as `HOME` and `HOST`. */
const SHORTEST = 6;
const LONG = 9;

/**
 * Finds variables that probably are misspelt names of ours. A longer name (`OPENAI_API_KEY_2`) may
 * belong to another program.
 */
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
