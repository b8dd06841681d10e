import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What there is only with a part of the stack. */
const NODES = {
  postgres: ['orders', 'orders-db'],
  rabbitmq: ['receipts', 'mailer'],
  prometheus: ['prometheus', 'alertmanager'],
  git: [],
};
const SOURCES = {
  postgres: ['orders-log'],
  rabbitmq: ['mq', 'mailer-log'],
  prometheus: ['prom'],
  git: ['code'],
};

/**
 * The topology of the stack, with its parts.
 * @param {Record<string, string | number>} values by name, for `${NAME}`
 * @param {readonly string[]} parts
 */
export function readTopology(values, parts) {
  const template = readFileSync(new URL('topology.yaml', import.meta.url), 'utf8');
  const topology = parse(template.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(values[name])));
  const absent = (of) =>
    Object.entries(of).flatMap(([part, ids]) => (parts.includes(part) ? [] : ids));
  const nodes = absent(NODES);
  const sources = absent(SOURCES);
  const without = (selectors = {}) =>
    Object.fromEntries(Object.entries(selectors).filter(([id]) => !sources.includes(id)));
  return {
    ...topology,
    sources: topology.sources.filter(({ id }) => !sources.includes(id)),
    nodes: topology.nodes
      .filter(({ id }) => !nodes.includes(id))
      .map(({ dependsOn = [], in: selectors, ...node }) => ({
        ...node,
        dependsOn: dependsOn.filter((id) => !nodes.includes(id)),
        ...(selectors && { in: without(selectors) }),
      })),
  };
}
