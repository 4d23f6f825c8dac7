const PLACEHOLDER = new RegExp(
  [
    '(change|replace)[-_. ]?(me|this|it)',
    'your[-_. ]?(own[-_. ]?)?(secret|key|token|password)',
    'placeholder',
    '^(sk_api_ro_)?((my|the|an?)[-_. ]?)?(secret|password|example|sample|token)[-_. ]?(key|here|value)?[0-9!.…]{0,8}$',
    '^(sk_api_ro_)?[x.…]*$',
  ].join('|'),
  'i',
);

const PREFIX = '^(?:sk_(?:api_ro_)?)?';

/** A variable: `$NAME` in a shell, `$(NAME)` in Kubernetes, or `%NAME%` in Windows. */
const VARIABLE = new RegExp(`${PREFIX}(?:\\$[a-z_]\\w*|\\$\\([a-z_]\\w*\\)|%[a-z_]\\w*%)$`, 'i');

/** A placeholder of a template, such as `{{ NAME }}`, `<%= name %>` or `<secret>`. */
const TEMPLATE = new RegExp(`\\{\\{.*\\}\\}|${PREFIX}<.*>$`, 's');

/** The message about a placeholder that was not filled in. It says what is expected. Undefined for other text. */
export function placeholderMessage(secret: string): string | undefined {
  // The name is not shown, because it can be a secret that starts with a dollar sign.
  if (VARIABLE.test(secret)) {
    return 'expected a value, this is the name of a variable; write ${NAME}, with braces, to read it from the environment';
  }
  return TEMPLATE.test(secret)
    ? 'expected a value, this is a template that was not filled in'
    : undefined;
}

/** A unit of up to four characters that repeats. */
const REPEATED_UNIT = /^(.{1,4})\1+.{0,3}$/s;

const FEWEST_DIFFERENT_CHARACTERS = 5;

/**
 * Why a secret in plain text is refused, or undefined. The function finds values that were left from an example, and
 * repeated characters. It does not measure how strong the secret is.
 */
export function weaknessOf(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) return 'a placeholder from an example';
  const differentCharacters = new Set(secret).size;
  if (differentCharacters < FEWEST_DIFFERENT_CHARACTERS || REPEATED_UNIT.test(secret)) {
    return 'a few characters repeated';
  }
  return undefined;
}
