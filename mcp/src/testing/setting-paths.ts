import { isReason } from '@guard/config/contract/reasons';
import { Settings } from '@guard/config/settings/schema';

/** The part of JSON Schema that the settings come out as. */
interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** What a user writes as one value, with names of its own. */
function isValue(properties: Readonly<Record<string, Schema>>): boolean {
  if ('regex' in properties || 'every' in properties) return true;
  return Object.keys(properties).every(isReason);
}

/**
 * Every setting a user can write in guard.yaml, as `organisations[].rules[].name`, with its default
 * value where the schema states one. A pattern, a list of a rule, a match within a match and a mapping of block reasons count as values.
 */
export function settingPaths(): Map<string, unknown> {
  // The generated schema is wider than what is read of it here.
  const root = Settings.toJSONSchema({ io: 'input' }) as Schema;
  const found = new Map<string, unknown>();
  visit(root, '', undefined);
  return found;

  function visit(schema: Schema, path: string, defaultValue: unknown): void {
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives !== undefined) {
      for (const alternative of alternatives) visit(alternative, path, defaultValue);
    } else if (schema.$ref !== undefined && !path.includes('.match.')) {
      visit(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}, path, defaultValue);
    } else if (schema.items !== undefined) {
      visit(schema.items, `${path}[]`, defaultValue);
    } else if (schema.properties !== undefined && !isValue(schema.properties)) {
      for (const [name, property] of Object.entries(schema.properties)) {
        visit(property, path === '' ? name : `${path}.${name}`, property.default);
      }
    } else {
      found.set(path.replace(/\[\]$/, ''), defaultValue);
    }
  }
}
