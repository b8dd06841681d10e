/** Variable parts of a line, masked before it is compared: addresses, ids, paths, numbers. */
const MASKS: readonly RegExp[] = [
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g,
  /\b[0-9a-f]{8}-[0-9a-f-]{27,}\b/gi,
  /\b0x[0-9a-f]+\b/gi,
  /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi,
  /\bblk_-?\d+\b/g,
  /(?:\/[\w.+-]+){2,}\/?/g,
  /(?<![A-Za-z])-?\d+(?:\.\d+)?(?![A-Za-z])/g,
];
const WILDCARD = '<*>';

/** Words are separated by blanks; in JSON, which may have none, by its punctuation. */
const BETWEEN_WORDS = /\s+/;
const BETWEEN_JSON = /[\s{}[\]",:]+/;

/**
 * Number of words of a line that lead to its leaf; minimum similarity of two lines of a template;
 * maximum numbers of branches and templates.
 */
const PREFIX_WORDS = 2;
const SIMILARITY = 0.4;
const MOST_BRANCHES = 100;
const MOST_TEMPLATES = 5_000;
const MOST_CHARACTERS = 400;

interface Branch {
  children: Map<string, Branch>;
  templates: Template[];
}

/**
 * A kind of log line: its words, the variable ones as `<*>`. It becomes more general as lines are
 * added.
 */
export interface Template {
  id: number;
  words: string[];
}

const branch = (): Branch => ({ children: new Map(), templates: [] });

/**
 * Drain: an online parser of log lines with a tree of fixed depth (He, Zhu, Zheng, Lyu: "Drain: An
 * Online Log Parsing Approach with Fixed Depth Tree", ICWS 2017), depth 4, similarity 0.4, one set
 * of masks for all systems. Bounded: past 5,000 templates lines join the nearest one of their leaf,
 * or a last template that stands for the rest.
 */
export class Drain {
  private readonly lengths = new Map<number, Branch>();
  private count = 0;
  private rest: Template | undefined;

  /** The template of a line, which may be new. */
  add(line: string): Template {
    let masked = line.slice(0, MOST_CHARACTERS);
    for (const mask of MASKS) masked = masked.replace(mask, WILDCARD);
    const between = /^[{[]\s*["{]/.test(line) ? BETWEEN_JSON : BETWEEN_WORDS;
    const words = masked.split(between).filter((word) => word !== '');
    const { templates } = this.leafOf(words);
    const nearest = nearestTemplate(templates, words);
    if (nearest && nearest.similarity >= SIMILARITY) return join(nearest.template, words);
    if (this.count >= MOST_TEMPLATES)
      return nearest ? join(nearest.template, words) : (this.rest ??= this.create([WILDCARD]));
    const template = this.create(words);
    templates.push(template);
    return template;
  }

  private create(words: string[]): Template {
    return { id: this.count++, words };
  }

  private leafOf(words: readonly string[]): Branch {
    let at = this.lengths.get(words.length) ?? branch();
    this.lengths.set(words.length, at);
    for (const word of words.slice(0, PREFIX_WORDS)) at = childOf(at, word);
    return at;
  }
}

/** The branch of a word; words that vary, and those beyond 100, share one. */
function childOf({ children }: Branch, word: string): Branch {
  const full = !children.has(word) && children.size >= MOST_BRANCHES;
  const key = full || /\d/.test(word) || word.includes(WILDCARD) ? WILDCARD : word;
  const child = children.get(key) ?? branch();
  children.set(key, child);
  return child;
}

/**
 * The template that shares most of its words with a line, without words that are masked in both:
 * masks carry no information.
 */
function nearestTemplate(templates: readonly Template[], words: readonly string[]) {
  let best: { template: Template; similarity: number; variables: number } | undefined;
  for (const template of templates) {
    let same = 0;
    let compared = 0;
    let variables = 0;
    template.words.forEach((word, i) => {
      if (word === WILDCARD) variables += 1;
      if (word === WILDCARD && words[i] === WILDCARD) return;
      compared += 1;
      if (word === words[i]) same += 1;
    });
    const similarity = compared === 0 ? 1 : same / compared;
    const better =
      best === undefined ||
      similarity > best.similarity ||
      (similarity === best.similarity && variables > best.variables);
    if (better) best = { template, similarity, variables };
  }
  return best;
}

function join(template: Template, words: readonly string[]): Template {
  template.words = template.words.map((word, i) => (word === words[i] ? word : WILDCARD));
  return template;
}
