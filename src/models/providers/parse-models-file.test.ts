import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelsController } from '../models.controller.js';
import { Models } from '../models.js';
import { KEY, faultsOf, load } from '../../../test/support/models/load-models.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'models-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFile = (text: string): string => {
  const path = join(folder, 'models.yaml');
  writeFileSync(path, text);
  return path;
};
const GOOD = `
models:
  - name: big
    provider: anthropic
    model: claude-sonnet-4-5
    prices: { input: 3, output: 15, cacheRead: 0.3 }
    concurrency: 2
    requestsPerMinute: 50
    fallback: [small, runbook]
  - name: small
    provider: openai-compatible
    model: qwen3:8b
    baseUrl: http://127.0.0.1:11434/v1
    contextWindow: 40960
    silenceTimeoutSeconds: 300
  - name: routed
    provider: openai-compatible
    model: deepseek/deepseek-chat
    baseUrl: https://openrouter.ai/api/v1
    apiKeyEnv: OPENROUTER_KEY
`;

/** Three models, none of which is right. */
const FAULTY = `models:
  - name: big
    provider: antropic
    model: m
  - name: big
    provider: openai
    model: m
    apiKey: sk-secret
    apiKeyEnv: sk-proj-secret0123
    baseUrl: http://me:secret@host
  - provider: openai-compatible
    name: x y
    model: 7
    prices: {input: -1}
    concurrency: 0
    fallback: [missing, 3]
`;

describe('models from a file', () => {
  it('are read, with the known context window of each', () => {
    const env = {
      MODELS_FILE: inFile(GOOD),
      ANTHROPIC_API_KEY: KEY,
      OPENROUTER_KEY: KEY,
      MODEL: 'small',
    };
    const { entries, default: name } = load(env);
    expect(name).toBe('small');
    expect(entries).toMatchObject([
      {
        name: 'big',
        contextWindow: 200_000,
        limits: { concurrency: 2, requestsPerMinute: 50 },
        fallback: ['small', 'runbook'],
        textToolCalls: false,
      },
      {
        name: 'small',
        contextWindow: 40_960,
        limits: {},
        timeouts: { silenceMs: 300_000 },
      },
      {
        name: 'routed',
        contextWindow: 64_000,
        settings: { key: 'OPENROUTER_KEY', address: 'baseUrl of routed in MODELS_FILE' },
      },
    ]);
    const models = new Models(entries, name);
    expect(models.get()?.name).toBe('small');
    expect(models.default.name).toBe('small');
    expect(models.get('missing')).toBeUndefined();
    expect(models.chain('big').map((entry) => entry.name)).toEqual(['big', 'small', 'runbook']);
  });

  it('show no key and no address at GET /models', () => {
    const { entries, default: name } = load({
      MODELS_FILE: inFile(GOOD),
      ANTHROPIC_API_KEY: KEY,
      OPENROUTER_KEY: KEY,
    });
    const shown = new ModelsController(new Models(entries, name)).list();
    expect(shown.items.map((item) => [item.name, item.default])).toEqual([
      ['runbook', true],
      ['big', false],
      ['small', false],
      ['routed', false],
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/secret|_KEY|127\.0\.0\.1|openrouter\.ai/);
  });

  it('never send the key of a provider to an address of the file', () => {
    const file = inFile(
      'models:\n  - {name: mine, provider: openai, model: m, baseUrl: "http://elsewhere/v1"}',
    );
    expect(load({ MODELS_FILE: file, OPENAI_API_KEY: KEY }).entries[0]?.settings?.key).toBe(
      'apiKeyEnv of mine in MODELS_FILE',
    );
  });

  it('are refused with the line of every fault, without values of the file', () => {
    const faults = faultsOf({
      MODEL: 'big',
      MODELS_FILE: inFile(`${FAULTY}more: 1
`),
    });
    expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
      expect.stringMatching(/^models\.yaml:17 more unknown key/),
    ]);
    const inner = faultsOf({
      MODELS_FILE: inFile(`${FAULTY}  - just text
`),
    });
    expect(inner.map(({ path }) => path).sort()).toEqual(
      [
        'models.yaml:3 models[0].provider',
        'models.yaml:8 models[1].apiKey',
        'models.yaml:9 models[1].apiKeyEnv',
        'models.yaml:10 models[1].baseUrl',
        'models.yaml:12 models[2].name',
        'models.yaml:13 models[2].model',
        'models.yaml:14 models[2].prices.input',
        'models.yaml:14 models[2].prices.output',
        'models.yaml:15 models[2].concurrency',
        'models.yaml:16 models[2].fallback[1]',
        'models.yaml:17 models[3]',
      ].sort(),
    );
  });

  it('are refused if they contradict each other', () => {
    const faults = faultsOf({
      MODELS_FILE: inFile(`models:
  - {name: a, provider: openai-compatible, model: m, fallback: [a, c]}
  - {name: b, provider: anthropic, model: m, api: chat}
  - {name: b, provider: anthropic, model: m}
`),
    });
    expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'models.yaml:2 models[0].baseUrl is missing: the provider openai-compatible has no address of its own',
      'models.yaml:2 models[0].fallback[0] is the model itself',
      'models.yaml:2 models[0].fallback[1] is no model of this file, nor runbook',
      'models.yaml:3 models[1].api is for the provider openai only',
      'models.yaml:4 models[2].name is the name of models[1] too',
    ]);
  });

  it.each([
    [
      'a key that is not set',
      `models:\n  - {name: a, provider: openai-compatible, model: m, baseUrl: 'http://h/v1', apiKeyEnv: GONE}`,
      /^GONE is not set; the model a needs it/,
    ],
    [
      'YAML that is none',
      'models:\n  - name: a\n   provider: sk-secret',
      /^models\.yaml:\d+ is not YAML here/,
    ],
    [
      'the name of the built-in model',
      'models: [{name: runbook, provider: openai, model: m}]',
      /^models\.yaml:1 models\[0\]\.name is the name of the built-in model/,
    ],
    ['something else', '- secret', /^models\.yaml:1 must be an object/],
    ['nothing', '', /^models\.yaml models must be a list/],
    [
      'a bomb',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map((key, i) => `${key}: &${key} [${Array(10).fill(`*${'abcdefg'[i]}`).join(',')}]`)
        .join('\n')}\nmodels: *h`,
      /aliases/,
    ],
  ])('are refused: %s', (_, text, fault) => {
    expect(
      faultsOf({ MODELS_FILE: inFile(text) }).map(({ path, message }) => `${path} ${message}`),
    ).toContainEqual(expect.stringMatching(fault));
  });

  it('are refused if the file does not exist', () => {
    expect(faultsOf({ MODELS_FILE: join(folder, 'none.yaml') })).toEqual([
      {
        path: 'MODELS_FILE',
        message: expect.stringMatching(/none\.yaml", which cannot be read: ENOENT/),
      },
    ]);
    expect(faultsOf({ MODELS_FILE: folder })).toMatchObject([{ path: 'MODELS_FILE' }]);
  });
});

it('accepts the example of the documentation', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/models.md'), 'utf8');
  const example = /```yaml\n([^]*?)```/.exec(text)?.[1] ?? '';
  const { entries } = load({
    MODELS_FILE: inFile(example),
    ANTHROPIC_API_KEY: KEY,
    OPENROUTER_API_KEY: KEY,
    MODEL: 'local',
  });
  expect(entries.map(({ name }) => name)).toEqual(['big', 'local', 'routed']);
});
