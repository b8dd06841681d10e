import { callsIn, shapeOf, some, stringsIn, type DiffView } from '../read-diff.js';
import { fileKind } from '../file-kind.js';
import type { Mechanism } from './mechanism.js';

/** A call that leaves the process. */
export const IO =
  /\b(Query|QueryRow|Exec|Select|Get|Fetch|Find|Load|Read|Do|Put|Post|Send|Call|Invoke|Lookup|Scan|Describe|List)\w*\s*\(|\.(query|execute|fetch|get|post|put|find\w*|load\w*|call|send|request|invoke|lookup)\s*\(|axios|requests\.|httpx?\.|SELECT\s/;
const BATCH =
  /batch|bulk|chunk|pipelin|mget|multi_?get|prefetch|preload|includes\(|joinedload|eager|select_related|JOIN FETCH|EntityGraph|data_?loader|IN \(|= ?ANY ?\(|group/i;
const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|JOIN|WHERE|ORDER BY|LIKE|FROM)\b/;
const SQL_BEFORE = /\b(SELECT|INSERT|UPDATE|DELETE|JOIN|WHERE|ORDER BY|LIKE|LIMIT|FROM|INDEX)\b/;
/** Expressions that prevent a database from using an index. */
const UNINDEXED = /LIKE '?%|LOWER\(|UPPER\(|CAST\(|DATE\(|::text|CROSS JOIN/i;
const HEAVIER = /LIKE '?%|JOIN|ORDER BY|DISTINCT|LOWER\(|UPPER\(|DATE\(|CAST\(|OR /;
const BOUND_OF_READ =
  /\bLIMIT\b|\.limit\(|page_?size|per_?page|paginate|max_?results|slice\(0|Pageable|PageRequest|\.Take\(|\btake:|FETCH FIRST|\bTOP \d/i;

/** How data is read and written: batches, loops, queries, indexes, schemas. */
export function dataAccess(view: DiffView): Mechanism[] {
  return [
    ...batches(view),
    ...queries(view),
    ...locks(view),
    ...heldLonger(view),
    ...schemas(view),
  ];
}

function batches({ removed, added, inLoop }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  if (some(removed, BATCH) && !some(added, BATCH)) {
    const about = [...removed.filter((line) => BATCH.test(line)), ...added].join(' ');
    found.push({ kind: 'batching-removed', about, literals: callsIn([...removed, ...added]) });
  }
  const looped = inLoop.filter((line) => IO.test(line));
  const before = new Set(removed.filter((line) => IO.test(line)).map(shapeOf));
  if (looped.length > 0 && !inLoop.some((line) => before.has(shapeOf(line)))) {
    const about = [...looped, ...added.filter((line) => /SELECT|http/i.test(line))].join(' ');
    found.push({ kind: 'io-in-loop', about, literals: stringsIn(added) });
  }
  return found;
}

/**
 * Changes that make a database execute the same query differently: statistics, hints, stored plans
 * and settings of the optimizer of Oracle, PostgreSQL, MySQL, SQL Server and Db2.
 */
const PLANS =
  /\bDBMS_(?:STATS|SPM)\b|(?<!EXPLAIN \(?)\bANALYZE (?!SELECT|INSERT|UPDATE|DELETE|WITH)\w|\bUPDATE STATISTICS\b|\bRUNSTATS\b|\bsp_updatestats\b|\bSET STATISTICS \d|default_statistics_target|\boptimizer_\w+|\bpg_hint_plan\b|\bFREEPROCCACHE\b|\brandom_page_cost\b|\benable_(?:seqscan|indexscan|nestloop|hashjoin)\b/;

/** `PVS.ORDERS`, `stock_moves`: names of tables, which errors and plans repeat. */
const tablesIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.match(/\b[A-Za-z]\w*_\w+\b/g) ?? []);

function queries({ removed, added, files, changed }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  // `FROM` of a Dockerfile is not a query.
  const now = /Dockerfile/.test(files.join(' ')) ? [] : added.filter((line) => SQL.test(line));
  const before = removed.filter((line) => SQL_BEFORE.test(line));
  if (now.length > 0) {
    const about = now.join(' ');
    const literals = now.flatMap((line) =>
      [...line.matchAll(/\b(?:FROM|INTO|UPDATE|JOIN)\s+([\w.]+)/g)].map(([, table = '']) => table),
    );
    found.push({ kind: 'schema-use', about, literals });
    const migration = files.some((path) => fileKind(path) === 'sql');
    const heavier =
      before.length === 0
        ? some(now, UNINDEXED)
        : !migration &&
          (some(removed, /LIMIT|WHERE|USE INDEX|FORCE INDEX/) || some(added, HEAVIER));
    if (heavier) found.push({ kind: 'query-heavier', about, literals });
  }
  const plan = added.filter((line) => PLANS.test(line));
  if (plan.length > 0 || some(removed, PLANS))
    found.push({ kind: 'plan-changed', about: plan.join(' '), literals: tablesIn(plan) });
  const indexed =
    /CREATE (UNIQUE )?INDEX|add_index|@Index|@@index|AddIndex|(db_)?index ?= ?True|index: true|createIndex|ensureIndex|gorm:"[^"]*index/i;
  if (some(removed, indexed) || some(added, /DROP INDEX|remove_?index|drop_?index/i))
    found.push({ kind: 'index-removed', about: changed.join(' '), literals: stringsIn(changed) });
  if (some(removed, BOUND_OF_READ) && !some(added, BOUND_OF_READ))
    found.push({ kind: 'unbounded-read', about: removed.join(' ') });
  return found;
}

/** Statements that block writes to a table, or its use, while they run. */
const LOCKS_TABLE =
  /\bCREATE (UNIQUE )?INDEX (?!CONCURRENTLY)|\bREINDEX (?!.{0,40}CONCURRENTLY)|\bLOCK TABLES?\b|\bVACUUM \(?FULL\b|\bALTER COLUMN [\w\"]+ (SET DATA )?TYPE\b|\bSET NOT NULL\b|\bADD (CONSTRAINT (?!.*NOT VALID)|FOREIGN KEY|PRIMARY KEY)|\b(MODIFY|CHANGE) COLUMN\b|\bADD COLUMN .*DEFAULT \w+\(|\bOPTIMIZE TABLE\b|\bCLUSTER \w+ USING\b/i;

/** A transaction that is left open keeps the locks of all rows that it has written. */
const BEGINS = /^(BEGIN( TRANSACTION| WORK)?|START TRANSACTION) ?;/i;
const ENDS = /^(COMMIT|ROLLBACK|END)\b/i;
const WRITES = /\b(UPDATE|DELETE FROM|INSERT INTO|MERGE INTO) \w/i;

/** Ends a transaction, or gives back a lock. */
const LETS_GO = /(?:^|[._])(?:commit|unlock|release_?lock)(?:Transaction)?$/i;

/** Calls that followed the end of a transaction, or of a lock, and now precede it. */
function heldLonger({ before, after }: DiffView): Mechanism[] {
  const [was, is] = [callsIn(before), callsIn(after)];
  const [endWas, endIs] = [was, is].map((calls) => calls.findIndex((name) => LETS_GO.test(name)));
  if (endWas === undefined || endIs === undefined || endWas < 0 || endIs < 0) return [];
  const inside = is.slice(0, endIs);
  const moved = was.slice(endWas + 1).filter((name) => inside.includes(name));
  const isNew = moved.filter((name) => !was.slice(0, endWas).includes(name));
  return isNew.length === 0
    ? []
    : [{ kind: 'lock-added', about: [...isNew, 'transaction'].join(' ') }];
}

function locks({ added }: DiffView): Mechanism[] {
  const isLeftOpen = some(added, BEGINS) && !some(added, ENDS);
  const taken = added.filter((line) => LOCKS_TABLE.test(line) || (isLeftOpen && WRITES.test(line)));
  const literals = taken.flatMap((line) =>
    [...line.matchAll(/\b(?:ON|TABLES?|FULL\)?|UPDATE|FROM|INTO) (?!TABLE\b)(\w+)/gi)].map(
      ([, table = '']) => table,
    ),
  );
  return taken.length === 0 ? [] : [{ kind: 'lock-added', about: taken.join(' '), literals }];
}

function schemas({ added }: DiffView): Mechanism[] {
  const changes =
    /ALTER TABLE|DROP (TABLE|COLUMN)|RENAME|drop_column|rename_column|add_column|CREATE TABLE/i;
  if (!some(added, changes)) return [];
  const literals = added.flatMap((line) =>
    [...line.matchAll(/\b([a-z]\w+_\w+|[a-z]{4,})\b/g)].map(([, name = '']) => name),
  );
  return [{ kind: 'schema-change', about: added.join(' '), literals }];
}
