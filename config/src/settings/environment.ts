/** `${NAME}` in the text of guard.yaml. It is replaced after YAML was read, so a value injects no YAML. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface MissingVariable {
  readonly kind: 'unset' | 'malformed';
  /** As written: `${NAME}`. */
  readonly written: string;
  readonly message: string;
}

export interface Substitution {
  /** The text with every variable in its place; undefined when one is missing. */
  readonly value: string | undefined;
  /** Part of the value came from the environment, so it may be a secret wherever it stands. */
  readonly interpolated: boolean;
  readonly missing: readonly MissingVariable[];
}

const VARIABLE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Replaces each `${NAME}`; `$${` stands for `${` itself. An empty variable counts as missing. */
export function substitute(text: string, env: Environment): Substitution {
  if (!text.includes('${')) return { value: text, interpolated: false, missing: [] };
  const missing: MissingVariable[] = [];
  let interpolated = false;
  const value = text.replace(VARIABLE, (written: string, name: string | undefined, end: string) => {
    if (name === undefined) return '${';
    if (end === '' || !NAME.test(name)) {
      missing.push({ kind: 'malformed', written, message: MALFORMED });
      return '';
    }
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found === undefined || found === '') {
      const state = found === '' ? 'is empty' : 'is not set';
      const message = `the environment variable ${name} ${state}; give it a value`;
      missing.push({ kind: 'unset', written, message });
      return '';
    }
    interpolated = true;
    return found;
  });
  return { value: missing.length === 0 ? value : undefined, interpolated, missing };
}

const MALFORMED = 'expected ${NAME} with letters, digits and _; write $${ where ${ itself is meant';
