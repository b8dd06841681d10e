/**
 * Scores of the sources of a result, from 0 to 1: what was read itself, the evidence that it cites,
 * a measurement of an unwell node that is no evidence, an entry of a list or a topology, and the
 * list of all topologies, which mostly leads to something else.
 */
export const [READ, CITED, MEASURED, LISTED, OVERVIEW] = [1, 0.9, 0.6, 0.5, 0.3];
