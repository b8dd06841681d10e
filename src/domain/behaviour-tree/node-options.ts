import type { OptionKinds } from './read-arguments.js';
import { MODEL_OPTIONS } from './read-model-options.js';

const BOTH: OptionKinds = { policy: 'value', n: 'value' };
/** Options of each node. */
export const NODE_OPTIONS: Readonly<Record<string, OptionKinds>> = {
  sequence: {},
  selector: {},
  parallel: BOTH,
  'for-each': BOTH,
  repeater: { 'max-iterations': 'value', 'until-success': 'flag', 'until-failure': 'flag' },
  retry: { times: 'value' },
  timeout: { ms: 'value' },
  cooldown: { ms: 'value' },
  guard: {},
  inverter: {},
  'always-succeed': {},
  'always-fail': {},
  succeed: {},
  decorator: {},
  subtree: {},
  action: { fn: 'value' },
  condition: {},
  'llm-call': MODEL_OPTIONS,
};

/** Names of the nodes. */
export const NODE_NAMES: readonly string[] = Object.keys(NODE_OPTIONS);
