import type { Brief } from '../../../src/domain/prompt/brief.js';
import type { Say } from './provider-frames.js';
import { answer, type Exchange, type Reply } from './provider-server.js';
import { runbookReply } from './runbook-provider.js';

type Role = Brief['role'];

/** What an agent of a role replies in each turn, or how its request is handled. */
export type Script = readonly (readonly Say[] | Reply)[];

/** The role of the agent that sent a request. */
export function roleOf({ body }: Exchange): Role {
  const [, role] = /\\"role\\":\\"(\w+)\\"/.exec(JSON.stringify(body)) ?? [];
  return role as Role;
}

/**
 * A provider whose agents of some roles follow a script, and all others the built-in planner. The
 * number of requests of a role gives the turn, so a script is for one agent of each role. Its last
 * entry is used for all later turns.
 */
export function scriptedAgents(scripts: Partial<Record<Role, Script>>): Reply {
  const asked = new Map<Role, number>();
  return (exchange) => {
    const role = roleOf(exchange);
    const script = scripts[role];
    if (!script) return runbookReply(exchange);
    const turn = asked.get(role) ?? 0;
    asked.set(role, turn + 1);
    const reply = script[Math.min(turn, script.length - 1)] as Script[number];
    return typeof reply === 'function' ? reply(exchange) : answer(...reply)(exchange);
  };
}
