import { describe, expect, it } from '@jest/globals';
import { RECOVERED, converse } from '../../../../../test/support/incidents/oracle-world.js';

const fileOf = (n: number, file: string) =>
  `GET /api/service/v1/executions/01900000-0000-7000-8000-00000000000${n}/${file}`;

describe('a postmortem', () => {
  it.each([
    ['write a postmortem of 01900000…0001', 'postmortem.md'],
    ['give me a post-mortem of the web shop', 'postmortem.md'],
    ['export the report of the web shop', 'report.md'],
  ])('is where the service writes it: %s', (question, file) => {
    const text = converse([question]);
    expect(text).toContain(`${fileOf(1, file)}\n`);
    expect(text).toContain('Root cause: Orders DB');
  });

  it('is that of the diagnosis that found something, after a recovery', () =>
    expect(converse(['is the web shop ok?', 'write a postmortem'], { runs: RECOVERED })).toContain(
      fileOf(1, 'postmortem.md'),
    ));
});
