import type { TokenShares } from '../domain/limits/token-shares.js';
import type { ReserveResult } from './log-port.js';
import type { MemoryRun } from './memory-run.js';

const TEAM_OF = /^(d\d+)_/;

/** The rules of `lua/reserve.ts`, for a writer that holds its claim. */
export function reserveInMemory(
  run: MemoryRun,
  me: string,
  want: number,
  shares: TokenShares,
): ReserveResult {
  const used = run.tokens;
  const { accounts } = run;
  const grant = (tokens: number): ReserveResult => {
    accounts.set(me, { reserved: tokens, used: accounts.get(me)?.used ?? 0 });
    return { kind: 'granted', tokens, used };
  };
  if (want === 0) return grant(0);
  let reserved = 0;
  for (const [writer, account] of accounts) if (writer !== me) reserved += account.reserved;

  const [ceiling, owing, own] = boundsOf(run, me, shares);
  const free = ceiling - used - reserved - owing;
  if (want <= free) return grant(want);
  if (reserved > 0) return { kind: 'wait', used };
  if (free > 0) return grant(free);
  const rest = Math.min(want, own, ceiling - used);
  if (rest > 0) return grant(rest);
  return { kind: 'spent', used };
}

/**
 * The ceiling of this writer for used and reserved tokens, the tokens kept below it for other
 * agents, and what this writer has not used of its own part.
 */
function boundsOf(
  run: MemoryRun,
  me: string,
  { budget, top, supervisors, workers }: TokenShares,
): [ceiling: number, owing: number, own: number] {
  const dispatches = [...run.dispatches.keys()];
  const open = dispatches.filter((id) => !run.reports.has(id));
  const teamOf = (id: string) => TEAM_OF.exec(id)?.[1];
  const isTeam = (id: string) => teamOf(id) === undefined;
  const teams = open.filter(isTeam);
  const allTeams = Math.max(1, dispatches.filter(isTeam).length);
  const below = open.filter((id) => !isTeam(id));
  let own = 0;
  const owed = (id: string, share: number) => {
    const { used, reserved } = run.accounts.get(id) ?? { used: 0, reserved: 0 };
    if (id !== me) return Math.max(0, Math.floor(share) - used - reserved);
    own = Math.max(0, Math.floor(share) - used);
    return 0;
  };
  const sum = (tokens: number[]) => tokens.reduce((total, count) => total + count, 0);
  if (me.includes('_')) {
    const ofTeam = workers / allTeams;
    const hasSent = new Set(dispatches.map(teamOf));
    const inTeam = (team?: string) => dispatches.filter((id) => teamOf(id) === team).length;
    const ofWorkers = below.map((id) => owed(id, ofTeam / inTeam(teamOf(id))));
    const ofOthers = teams.map((team) => (hasSent.has(team) ? 0 : Math.floor(ofTeam)));
    return [budget - top - supervisors, sum(ofWorkers) + sum(ofOthers), own];
  }
  if (me === 'top') return [budget, 0, 0];
  const ofTeams = teams.map((team) => owed(team, supervisors / allTeams));
  return [budget - top, sum(ofTeams), own];
}
