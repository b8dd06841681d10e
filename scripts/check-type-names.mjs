// `npm run check:names`: fails if two modules of src export a type, an interface, a class or
// an enum of the same name, so that a reader has to look up which one is meant. Re-exports are no
// second definition. The client is a package of its own, whose types mirror those of the service.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const places = new Map();
for (const path of listFiles())
  for (const name of exportedTypesOf(path)) places.set(name, [...(places.get(name) ?? []), path]);

const faults = [...places]
  .filter(([, paths]) => paths.length > 1)
  .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
if (faults.length > 0) {
  console.error(
    [`${faults.length} type names have more than one meaning:`, ...faults.sort()].join('\n  '),
  );
  process.exitCode = 1;
}

function listFiles() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', 'src/*.ts'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => !/\.test\.ts$|^src\/client\//.test(path) && existsSync(join(root, path)));
}

/** The names of the types that a module declares and exports, each once. */
function exportedTypesOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const declared = statements.filter(isType);
  const listed = statements
    .filter((statement) => ts.isExportDeclaration(statement) && !statement.moduleSpecifier)
    .flatMap(({ exportClause }) => exportClause.elements.map(({ name }) => name.text));
  return new Set(
    declared
      .filter(({ name, modifiers }) => modifiers?.some(isExport) || listed.includes(name.text))
      .map(({ name }) => name.text),
  );
}

function isType(node) {
  return (
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

function isExport({ kind }) {
  return kind === ts.SyntaxKind.ExportKeyword;
}
