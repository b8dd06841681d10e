/**
 * Scores of the sources of a result, from 0 to 1: what was read itself, the evidence that it cites,
 * a measurement of an unhealthy node that is no evidence, an entry of a list or a topology, and the
 * list of all topologies, which mostly leads to something else.
 */
export const READ = 1;
export const CITED = 0.9;
export const MEASURED = 0.6;
export const LISTED = 0.5;
export const OVERVIEW = 0.3;
