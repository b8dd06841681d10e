import type { Brief } from '../../src/domain/diagnosis/brief.js';
import type { Say } from './provider-frames.js';
import { answer, type Exchange, type Reply } from './provider-server.js';
import { runbookReply } from './runbook-provider.js';

type Role = Brief['role'];

/** What an agent of a role says, turn by turn; or what is done with its request. */
export type Script = readonly (readonly Say[] | Reply)[];

/** The role of the agent that a request is from. */
export function roleOf({ body }: Exchange): Role {
  const [, role] = /\\"role\\":\\"(\w+)\\"/.exec(JSON.stringify(body)) ?? [];
  return role as Role;
}

/**
 * A provider whose agents of some roles follow a script, and all others the runbook. Which turn it is is told by how often the
 * role has asked, so the script is for one agent of each role; its last entry is for all turns that follow.
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
