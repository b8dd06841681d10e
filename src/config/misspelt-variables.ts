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
    if (ours.includes(name)) return [];
    const meant = ours.find((known) => isSlip(name, known));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isSlip(name: string, known: string): boolean {
  if (isSwapped(name, known)) return true;
  if (name.length < SHORTEST) return false;
  if (singular(name) === singular(known)) return true;
  if (name.startsWith(known)) return false;
  return editDistance(name, known) <= (name.length < LONG ? 1 : 2);
}

/** Two neighbouring letters are swapped, as in `PROT`; of another name that is hardly ever true. */
function isSwapped(name: string, known: string): boolean {
  if (name.length !== known.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== known[index]);
  const [a = '', b = ''] = name.slice(at);
  return at >= 0 && known === name.slice(0, at) + b + a + name.slice(at + 2);
}

/** `TOPOLOGIES_DIR` as `TOPOLOGY_DIR`. */
const singular = (name: string): string =>
  name.replaceAll(/IES(?=_|$)/g, 'Y').replaceAll(/(?<=[A-Z]{3})S(?=_|$)/g, '');
