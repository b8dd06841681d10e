import { describe, expect, it } from '@jest/globals';
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeBundle } from '../../../test/support/incidents/write-bundle.js';
import { isBundle, openBundle, readDocument } from './bundle.js';

/** The faults with which a bundle is refused: `path: message`. */
async function faultsOf(
  files: Record<string, string>,
  manifest: Record<string, unknown> = {},
): Promise<string[]> {
  const error = await openBundle(await writeBundle(files, manifest)).then(
    () => undefined,
    (cause: { options: { faults: { path: string; message: string }[] } }) => cause,
  );
  return (error?.options.faults ?? []).map(({ path, message }) => `${path}: ${message}`);
}

describe('openBundle', () => {
  it('finds the files of each folder, and keeps results of probes apart', async () => {
    const { files } = await openBundle(
      await writeBundle({
        'metrics/b.ndjson': '',
        'metrics/a.ndjson.gz': '',
        'metrics/deeper/c.ndjson': '',
        'recordings/probes.ndjson.gz': '',
        'recordings/kubectl.ndjson': '',
      }),
    );
    const names = (paths: string[] = []) => paths.map((path) => path.replace(/.*\//, ''));
    expect(Object.keys(files).sort()).toEqual(['metrics', 'probes', 'recordings']);
    expect(names(files.metrics)).toEqual(['a.ndjson.gz', 'b.ndjson']);
    expect(names(files.recordings)).toEqual(['kubectl.ndjson']);
    expect(names(files.probes)).toEqual(['probes.ndjson.gz']);
  });

  it('reads the alerts of a webhook of Alertmanager', async () => {
    const alerts = [
      { labels: { alertname: 'Slow' }, startsAt: '2026-01-01T00:30:00Z' },
      { annotations: { summary: 'Down' }, startsAt: 'soon' },
    ];
    const folder = await writeBundle({ 'alerts.json': JSON.stringify({ alerts }) });
    expect((await openBundle(folder)).alerts).toEqual([
      { labels: { alertname: 'Slow' }, annotations: {}, startsAt: Date.UTC(2026, 0, 1, 0, 30) },
      { labels: {}, annotations: { summary: 'Down' } },
    ]);
  });

  it('leaves out an alert that had ended before the failure was reported, or before now', async () => {
    const alertOf = (endsAt: string) => ({ labels: {}, startsAt: '2026-01-01T00:10:00Z', endsAt });
    const alerts = ['2026-01-01T00:20:00Z', '0001-01-01T00:00:00Z', '2027-01-01T00:00:00Z'];
    const files = { 'alerts.json': JSON.stringify({ alerts: alerts.map(alertOf) }) };
    expect((await openBundle(await writeBundle(files))).alerts).toHaveLength(2);
    const reported = await writeBundle(files, { reportedAt: '2026-01-01T00:15:00Z' });
    expect((await openBundle(reported)).alerts).toHaveLength(3);
  });

  it.each(['', '{', 'null', '[]', '{"alerts":[{"labels":{"n":1}}]}'])(
    'has no alerts if alerts.json is %j, which is damaged',
    async (text) => {
      expect(await openBundle(await writeBundle({ 'alerts.json': text }))).toMatchObject({
        alerts: [],
        hasDamagedAlerts: true,
      });
    },
  );

  it.each([
    ['id', '../up', 'must be letters, digits, . _ and -'],
    ['start', 'noon', 'must be a time such as 2026-06-18T14:00:00Z'],
    ['baseline', { from: '2026-01-01T00:00:00Z' }, 'is missing'],
    ['include', ['../../etc'], 'must be a folder beside the bundle, such as ../parts'],
    ['include', ['/etc'], 'must be a folder beside the bundle, such as ../parts'],
    ['include', ['../nowhere'], 'is no folder beside the bundle'],
  ])('refuses %s: %j', async (key, value, message) => {
    const [fault = ''] = await faultsOf({}, { [key]: value });
    expect(fault).toContain(key);
    expect(fault).toContain(message);
  });

  it('names the file that is no YAML', async () => {
    expect(await faultsOf({ 'topology.yaml': 'nodes: [' })).toEqual([
      expect.stringMatching(/^topology\.yaml: /),
    ]);
    expect(await faultsOf({ 'incident.yaml': 'id: [' })).toEqual([
      expect.stringMatching(/^incident\.yaml: /),
    ]);
  });

  it('refuses a folder without incident.yaml', async () => {
    const folder = dirname(await writeBundle({}));
    expect(await isBundle(folder)).toBe(false);
    expect(await isBundle(join(folder, 'example'))).toBe(true);
    await expect(openBundle(folder)).rejects.toThrow(/^The incident bundle [\w-]+ is not valid$/);
  });
});

describe('readDocument', () => {
  it('refuses what is larger than 64 MiB, also after it is unzipped', async () => {
    const folder = await writeBundle({ 'bomb.json.gz': 'x'.repeat(65 * 2 ** 20) });
    await expect(readDocument(join(folder, 'bomb.json.gz'))).rejects.toThrow();
    const large = join(folder, 'large.json');
    await writeFile(large, '');
    await truncate(large, 65 * 2 ** 20);
    await expect(readDocument(large)).rejects.toThrow('too large');
  });
});
