/** Marks the agent id of a librarian: it sums up large results for another agent, in that agent's job, and has no node. */
const ENDING = '.librarian';

export const librarianOf = (agentId: string): string => `${agentId}${ENDING}`;
export const isLibrarian = (agentId: string): boolean => agentId.endsWith(ENDING);
