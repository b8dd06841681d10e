/**
 * Suffix of a librarian's agent id. A librarian summarises large results for another agent, in the
 * job of that agent, and has no node.
 */
const ENDING = '.librarian';

export const librarianOf = (agentId: string): string => `${agentId}${ENDING}`;
export const isLibrarian = (agentId: string): boolean => agentId.endsWith(ENDING);
