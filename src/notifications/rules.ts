import { ruleFile, type Rule } from '../domain/notifications/rule.js';
import { loadFiles, shippedPath, type LoadedFile } from './load-files.js';
import { faultIn, RuleSet } from './rule-set.js';

const { shape } = ruleFile;

/** The shipped rules and those of RULES_DIR. */
export class Rules extends RuleSet {
  readonly loaded: readonly LoadedFile<Rule>[];

  /**
   * @param folder of custom rules; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with every fault
   */
  constructor(folder?: string, shippedFolder: string = shippedPath('rules')) {
    const loaded = loadFiles(
      {
        title: 'Rules',
        schema: ruleFile,
        known: {
          '': Object.keys(shape),
          rule: Object.keys(shape.rule.shape),
          condition: Object.keys(shape.condition.shape),
        },
        idOf: ({ rule }) => rule.id,
        idPath: 'rule.id',
        isCore: ({ rule }) => rule.core,
        isEnabled: ({ rule }) => rule.enabled,
        check: faultIn,
      },
      shippedFolder,
      folder,
    );
    super(loaded.map(({ value }) => value));
    this.loaded = loaded;
  }
}
