/** Kinds of nodes that another organisation runs. */
const FOREIGN = /^(?:remote|external|saas|third[- ]?party)$/i;

/**
 * Whether another organisation runs a node: it is measured from outside, and its machines are not
 * ours.
 */
export const isForeign = ({ kind = '' }: { kind?: string }): boolean => FOREIGN.test(kind);
