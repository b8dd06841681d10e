import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../../test/support/incidents/observations.js';
import { LogTemplates } from '../../logs/log-templates.js';
import { rankRootCauses } from '../../rank-root-causes.js';
import type { Change } from '../../../domain/telemetry/records.js';

const alerts = [{ labels: { service: 'cart' }, annotations: { summary: 'cart answers 500' } }];
const CAUSING = 'c0ffee0123456789';
const HARMLESS = 'decade0123456789';

interface Told {
  /** That the cart logs first at 10:36 after the start of the recording. */
  error: string;
  file: string;
  removed: string[];
  added: string[];
}

const commit = (id: string, minute: number, { file, removed, added }: Omit<Told, 'error'>) => ({
  kind: 'commit' as const,
  at: minute * MINUTE,
  id,
  message: 'Tidy up',
  files: [file],
  diff: [
    `--- a/${file}`,
    `+++ b/${file}`,
    '@@ -8,6 +8,6 @@',
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n'),
});
const deploy = (minute: number, id?: string, node = 'cart'): Change => ({
  kind: 'deploy',
  at: minute * MINUTE,
  node,
  version: `v${minute}`,
  ...(id !== undefined && { commit: id }),
});

function rank(error: string, changes: Change[]) {
  const templates = new LogTemplates(6 * MINUTE);
  const add = (minute: number, severity: string, body: string) =>
    templates.add({ node: 'cart', body, severity, at: minute * MINUTE, labels: {} });
  for (let minute = 0; minute < 12; minute++) add(minute, 'INFO', 'priced cart total=12 items=3');
  for (let i = 0; i < 8; i++) add(10.6 + i / 8, 'ERROR', error);
  const {
    causes,
    changes: judged,
    rejected,
  } = rankRootCauses(observed({ alerts, changes, templates: templates.all() }), '');
  return { first: causes[0], judged, rejected };
}

const CASES: [string, Told][] = [
  [
    'a ternary guard',
    {
      error: "TypeError: Cannot read properties of null (reading 'percent')",
      file: 'src/price.js',
      removed: ['  const off = coupon ? coupon.percent : 0;'],
      added: ['  const off = coupon.percent;'],
    },
  ],
  [
    'a guard by &&',
    {
      error: "TypeError: Cannot read properties of undefined (reading 'street')",
      file: 'src/label.ts',
      removed: ['  return customer.address && customer.address.street;'],
      added: ['  return customer.address.street;'],
    },
  ],
  [
    'another property',
    {
      error: 'order refused: shipping weight is NaN',
      file: 'src/weigh.ts',
      removed: ['  const grams = parcel.netWeight;'],
      added: ['  const grams = parcel.weightNet;'],
    },
  ],
  [
    'a conversion',
    {
      error: 'order refused: quantity is undefined, expected a number',
      file: 'src/lines.js',
      removed: ['  const quantity = Number(line.quantity);'],
      added: ['  const quantity = line.quantity.length;'],
    },
  ],
  [
    'a default of a lookup',
    {
      error: "KeyError: 'loyalty_tier'",
      file: 'app/points.py',
      removed: ['    tier = account.get("loyalty_tier", "basic")'],
      added: ['    tier = account["loyalty_tier"]'],
    },
  ],
  [
    'another function that is called',
    {
      error: 'delivery slot starts in the past, exception thrown by the planner',
      file: 'src/slots.js',
      removed: ['  const hour = date.getUTCHours();'],
      added: ['  const hour = date.getHours();'],
    },
  ],
];

const README = { file: 'docs/README.md', removed: ['Old'], added: ['New'] };

describe.each(CASES)('a commit that changes %s', (_, told) => {
  const causingChange = commit(CAUSING, 9, told);
  const beside = commit(HARMLESS, 8.5, README);

  test('is selected if it went live on the first unhealthy node a minute before', () => {
    const { first } = rank(told.error, [beside, causingChange, deploy(9.6, CAUSING)]);
    expect(first).toMatchObject({ node: 'cart', change: CAUSING });
    expect(first?.for.join('; ')).toMatch(/deployed at 00:09, 1 min before the first signs/);
    expect(first?.confidence).toBeLessThan(0.9);
  });

  test('is selected as well if its diff was not recorded', () => {
    const { diff, ...unread } = causingChange;
    expect(diff).toBeDefined();
    const { first, judged } = rank(told.error, [beside, unread, deploy(9.6, CAUSING)]);
    expect(first).toMatchObject({ change: CAUSING });
    expect(judged[0]?.against.join()).toContain('its diff was not recorded');
  });

  test('is not selected if it went live after the failure began', () => {
    const { first, judged } = rank(told.error, [causingChange, deploy(11.6, CAUSING)]);
    expect(first?.change).toBeUndefined();
    expect(judged[0]).toMatchObject({ change: CAUSING, isCleared: true });
  });
});

/**
 * Written after the rule, which selected all but the first; then it learnt that an operator is no
 * order of names.
 */
const HELD_OUT: [string, Told][] = [
  [
    'Ruby, without the safe navigation',
    {
      error: "NoMethodError (undefined method `iso_code' for nil:NilClass)",
      file: 'app/models/invoice.rb',
      removed: ['    country&.iso_code'],
      added: ['    country.iso_code'],
    },
  ],
  [
    'C#, with another lookup',
    {
      error:
        'System.Collections.Generic.KeyNotFoundException: The given key was not present in the dictionary. at Cart.Rates.For(String zone) in /src/Rates.cs:line 40',
      file: 'src/Rates.cs',
      removed: ['    return table.TryGetValue(zone, out var rate) ? rate : Default;'],
      added: ['    return table[zone];'],
    },
  ],
  [
    'Rust, with an unwrap',
    {
      error:
        "thread 'tokio-runtime-worker' panicked at src/voucher.rs:57:31: invalid digit found in string",
      file: 'src/voucher.rs',
      removed: ['    let amount = raw.parse::<u32>().unwrap_or(0);'],
      added: ['    let amount = raw.parse::<u32>().unwrap();'],
    },
  ],
  [
    'PHP, without the null coalescing',
    {
      error:
        'PHP Warning: Undefined array key "giftwrap" in /var/www/cart/src/Options.php on line 21',
      file: 'src/Options.php',
      removed: ["        return $row['giftwrap'] ?? false;"],
      added: ["        return $row['giftwrap'];"],
    },
  ],
  [
    'Kotlin, with another unit',
    {
      error: 'order rejected: wrong amount, the invoice says 1200 and the order 12',
      file: 'src/main/kotlin/Money.kt',
      removed: ['    val total = lines.sumOf { it.cents }.toEuros()'],
      added: ['    val total = lines.sumOf { it.cents }'],
    },
  ],
  [
    'Elixir, with a match that is narrower',
    {
      error: '** (FunctionClauseError) no function clause matching in Cart.Parcel.size_of/1',
      file: 'lib/cart/parcel.ex',
      removed: ['  def size_of(_other), do: :unknown'],
      added: ['  def size_of(:small), do: 1'],
    },
  ],
  [
    'Go, with an index that is not checked',
    {
      error:
        'panic: runtime error: index out of range [0] with length 0, goroutine 81: main.firstPhone(...) /app/contact.go:19',
      file: 'contact.go',
      removed: ['	if len(c.Phones) > 0 {', '		return c.Phones[0]', '	}', '	return ""'],
      added: ['	return c.Phones[0]'],
    },
  ],
  [
    'SQL in Java, with another alias',
    {
      error:
        'org.postgresql.util.PSQLException: The column name gross_total was not found in this ResultSet.',
      file: 'src/main/java/shop/OrderDao.java',
      removed: ['      order.setTotal(rows.getBigDecimal("total"));'],
      added: ['      order.setTotal(rows.getBigDecimal("gross_total"));'],
    },
  ],
];

test.each(HELD_OUT)('a commit of %s is selected', (_, told) => {
  const { first } = rank(told.error, [commit(CAUSING, 5, told), deploy(8, CAUSING)]);
  expect(first).toMatchObject({ node: 'cart', change: CAUSING });
});

describe('a harmless commit', () => {
  const [, told] = CASES[0] ?? CASES[1] ?? ['', { ...README, error: '' }];
  const causingChange = commit(CAUSING, 9, told);
  const rename = {
    file: 'src/banner.js',
    removed: ['  const banner = pick(season);'],
    added: ['  const chosen = pick(season);'],
  };
  const texts = {
    file: 'src/labels.js',
    removed: ['  button: "Add to the cart",'],
    added: ['  button: "Put in the cart",'],
  };

  test.each([
    ['another one in the same minute', rename, false],
    ['of words that people read', texts, true],
    ['of documents', README, true],
    ['of tests', { ...rename, file: 'test/banner.test.js' }, true],
    ['of comments', { ...rename, removed: ['// old'], added: ['// new'] }, true],
  ])('is not selected beside the causing one: %s', (_, harmless, isCleared) => {
    const changes = [commit(HARMLESS, 9, harmless), deploy(9.8, HARMLESS)];
    const { first, judged } = rank(told.error, [...changes, causingChange, deploy(9.6, CAUSING)]);
    expect(first?.change).toBe(CAUSING);
    expect(judged.find(({ change }) => change === HARMLESS)).toMatchObject({ isCleared });
  });

  test.each([
    ['of words', texts],
    ['of documents', README],
  ])('is not selected alone: %s', (_, harmless) => {
    const { first, rejected } = rank(told.error, [
      commit(HARMLESS, 9, harmless),
      deploy(9.8, HARMLESS),
    ]);
    expect(first?.change).toBeUndefined();
    expect(rejected.map(({ title }) => title).join()).toContain('is not the cause: Tidy up');
    expect(rejected.flatMap(({ reasons }) => reasons).join()).not.toContain('another change');
  });

  test('of another component is not selected, and not ruled out by a guess', () => {
    const { first, judged } = rank(told.error, [
      commit(HARMLESS, 9, rename),
      deploy(9.8, HARMLESS, 'db'),
    ]);
    expect(first?.change).toBeUndefined();
    expect(judged[0]?.against.join()).toContain('db, of which nothing was recorded');
  });

  test('is not ruled out long before the failure', () => {
    const { first, rejected } = rank(told.error, [
      commit(HARMLESS, 1, rename),
      deploy(1.2, HARMLESS),
    ]);
    expect(first?.change).toBeUndefined();
    expect(rejected.map(({ title }) => title).join()).toContain('is not ruled out: Tidy up');
    expect(rejected.flatMap(({ reasons }) => reasons).join()).toContain(
      'its diff does not show how it would cause this',
    );
  });
});
