import { isReason } from '@guard/config/contract/reasons';
import { Settings } from '@guard/config/settings/schema';

/** The parts of JSON Schema that the schema of the settings uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The cells of a setting, made from the schema. When a cell is undefined, the text of the page does not change. */
interface SettingCells {
  readonly type?: string | undefined;
  readonly byDefault?: string | undefined;
}

/** Longer lists of values have their own table. */
const MAX_VALUES = 12;

/** A row of a table of settings. The last cell is written by hand. */
const ROW = /^\| `([^`]+)` *\| (.*?) *\| (.*?) *\|(?= )/;

/**
 * Returns the page with the types and defaults of the schema. Other cells do not change. Throws an Error if the tables
 * lack a setting, or have a setting that guard.yaml does not have.
 */
export function withSettingCells(page: string): string {
  const cells = settingCells();
  const missing = new Set(cells.keys());
  let isTable = false;
  const lines = page.split('\n').map((line) => {
    isTable = line.startsWith('| Setting ') || (isTable && line.startsWith('|'));
    if (!isTable) return line;
    return line.replace(ROW, (_row, nameOnPage: string, type: string, byDefault: string) => {
      const name = nameOnPage.replace(/^rules\[\]/, 'organisations[].rules[]');
      const cell = cells.get(name);
      if (cell === undefined) throw new Error(`guard.yaml has no setting ${nameOnPage}`);
      missing.delete(name);
      return `| \`${nameOnPage}\` | ${cell.type ?? type} | ${cell.byDefault ?? byDefault} |`;
    });
  });
  if (missing.size > 0) throw new Error(`no table has a row for ${[...missing].join(', ')}`);
  return lines.join('\n');
}

/**
 * Returns every setting that a user can write in guard.yaml, such as `organisations[].rules[].name`. A pattern, a list
 * of a rule, a match within a match and a mapping of block reasons are each one value, so the names inside them are not
 * settings.
 */
function settingCells(): ReadonlyMap<string, SettingCells> {
  // The type of the generated schema has more fields.
  const root = Settings.toJSONSchema({ io: 'input' }) as Schema;
  const cellsByPath = new Map<string, SettingCells>();
  visit(root, '', {});
  return cellsByPath;

  /** Follows `$ref`, except for a match within a match, because that is one value. */
  function resolveSchema(schema: Schema, path: string): Schema {
    if (schema.$ref === undefined || path.includes('.match.')) return schema;
    return root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {};
  }

  /**
   * `isAlternative`: the schema is one of several alternatives. Its names can be written only together with certain
   * values of other names, so they have no default.
   */
  function visit(schema: Schema, path: string, cells: SettingCells, isAlternative = false): void {
    const { items, properties, ...rest } = resolveSchema(schema, path);
    const alternatives = rest.anyOf ?? rest.oneOf;
    if (alternatives !== undefined) {
      const { byDefault } = cells;
      const isOneOfSeveral = alternatives.filter((one) => one.properties).length > 1;
      for (const one of alternatives) visit(one, path, { byDefault }, isOneOfSeveral);
    } else if (items !== undefined) {
      visit(items, `${path}[]`, { byDefault: cells.byDefault });
    } else if (properties !== undefined && !countsAsOneValue(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        const isRequired = rest.required?.includes(name) === true;
        const byDefault = isAlternative ? undefined : defaultOf(property, isRequired);
        visit(property, path === '' ? name : `${path}.${name}`, {
          type: typeOf(property),
          byDefault,
        });
      }
    } else {
      const name = path.replace(/\[\]$/, '');
      // Two alternatives can describe the same name.
      cellsByPath.set(name, cellsByPath.has(name) ? {} : cells);
    }
  }
}

/**
 * Returns whether an object is one value although it has properties: a pattern, a list from a URL, or a mapping of
 * reasons.
 */
function countsAsOneValue(properties: Readonly<Record<string, Schema>>): boolean {
  if ('regex' in properties || ('every' in properties && !('key' in properties))) return true;
  return Object.keys(properties).every(isReason);
}

function typeOf(schema: Schema): string | undefined {
  const { type, enum: values, exclusiveMinimum, maximum } = schema;
  const minimum = schema.minimum ?? (exclusiveMinimum === 0 ? 1 : undefined);
  if (schema.const !== undefined) return codeSpan(schema.const);
  if (type === 'boolean') return 'boolean';
  if (values !== undefined && values.length <= MAX_VALUES) {
    const codeSpans = values.map((value) =>
      typeof value === 'string' ? codeSpan(value) : String(value),
    );
    return `${codeSpans.slice(0, -1).join(', ')} or ${codeSpans.at(-1) ?? ''}`;
  }
  return type === 'integer' && minimum !== undefined && maximum !== undefined && maximum < 1e9
    ? `${minimum} to ${maximum}`
    : undefined;
}

function defaultOf({ default: value }: Schema, isRequired: boolean): string | undefined {
  if (isRequired) return 'required';
  if (!Array.isArray(value)) return codeSpan(value);
  if (value.length === 0) return 'none';
  return value.every((one) => typeof one === 'string') ? value.map(codeSpan).join(', ') : undefined;
}

function codeSpan(value: unknown): string | undefined {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? `\`${JSON.stringify(value).replaceAll('"', '')}\`` : undefined;
}
