/** Marks the agent that sums up large results for another one: it works in that one's place, and looks after no node. */
const ENDING = '.librarian';

export const librarianOf = (agentId: string): string => `${agentId}${ENDING}`;
export const isLibrarian = (agentId: string): boolean => agentId.endsWith(ENDING);
