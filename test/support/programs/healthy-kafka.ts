import type { KafkaScript } from '../sources/scripted-kafka.js';

/** Two brokers that are well; group `mailer` has read everything. */
export const healthyKafka = (): KafkaScript => ({
  topics: {
    orders: [
      { leader: 1, replicas: [1, 2], inSync: [1, 2], end: 100 },
      { leader: 2, replicas: [2, 1], inSync: [2, 1], end: 200 },
    ],
  },
  groups: {
    mailer: { at: 2, state: 'Stable', members: 2, offsets: { 'orders-0': 100, 'orders-1': 200 } },
    sink: { at: 1, state: 'Stable', type: 'connect' },
  },
});
