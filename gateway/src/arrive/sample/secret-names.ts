export interface SecretNames {
  /** True for names such as `user[newPassword]`, `card_number` and `otp`, and for the names in the settings. */
  readonly isSecret: (name: string) => boolean;
  /** False when the text cannot contain the name of a secret. This check is quick. */
  readonly mayContainSecret: (text: string) => boolean;
  /** The index of the first secret name in a text. -1 when there is none. */
  readonly findFirst: (text: string) => number;
}

/** These words make a name secret wherever they are in the name. */
const SECRET_PARTS = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'kennwort', 'contrasena'],
  ...['contraseña', 'motdepasse', 'senha', 'wachtwoord', 'hasło', 'пароль', 'parola', '密码'],
  ...['パスワード', '비밀번호', 'secret', 'token', 'credential', 'authorization', 'authorisation'],
  ...['apikey', 'accesskey', 'privatekey', 'authkey', 'csrf', 'xsrf', 'sessid', 'sessionid'],
  ...['cardnum', 'cardno', 'ccnum', 'creditcard', 'cvc', 'cvv', 'cardcode', 'securitycode'],
  ...['verificationcode', 'accesscode', 'authcode', 'smscode', 'backupcode', 'recoverycode'],
  ...['onetimecode', 'socialsecurity'],
];
/**
 * These words make a name secret only as whole words. Inside other words they are harmless: `shipping` contains `pin`,
 * and `company` contains `pan`.
 */
const SECRET_WORDS = [
  ...['pass', 'pwd', 'pw', 'psw', 'mdp', 'pin', 'otp', 'totp', 'mfa', 'tan', 'key', 'auth', 'jwt'],
  ...['bearer', 'sid', 'session', 'cookie', 'signature', 'card', 'pan', 'csc', 'cvn', 'ssn'],
  'iban',
];
/** This word makes a name secret only when it is the whole name. `country_code` is not secret. */
const SECRET_NAME = 'code';

/** What may stand between two letters of a word: `api_key`, `card[no]`. */
const GAP = '[\\d_.$[\\]-]{0,2}';
const SECRET_PART_PATTERN = new RegExp(SECRET_PARTS.map(allowGaps).join('|'), 'iu');
const SECRET_WORD_PATTERN = new RegExp(
  `(?<!\\p{L})(?:${SECRET_WORDS.join('|')})(?!\\p{L})|^\\P{L}*${SECRET_NAME}\\P{L}*$`,
  'iu',
);
const CAMEL_CASE_BORDER = /([\p{Ll}\p{N}])(?=\p{Lu})/gu;
const NAME_CHARACTER = /[\p{L}\p{N}_.$-]/u;
/** Matches the characters between a name and its value: `=`, `:`, or the end of a tag. */
const VALUE_FOLLOWS = /^[\s"'\\\]]{0,8}[:=>]/;

/** `extraNames` are secret names from the settings. Upper case and punctuation in them do not matter. */
export function compileSecretNames(extraNames: readonly string[]): SecretNames {
  const listedNames = new Set(extraNames.map(keepLettersAndDigits));
  /** A text that matches none of these needs no closer look. Most texts do not match. */
  const hints = new RegExp(
    [...[...SECRET_PARTS, ...listedNames].map(allowGaps), ...SECRET_WORDS, SECRET_NAME].join('|'),
    'giu',
  );

  const mayContainSecret = (text: string) => text.search(hints) !== -1;

  function isClearlySecret(name: string): boolean {
    return SECRET_PART_PATTERN.test(name) || listedNames.has(keepLettersAndDigits(name));
  }

  return {
    mayContainSecret,
    isSecret: (name) => isClearlySecret(name) || SECRET_WORD_PATTERN.test(splitWords(name)),
    findFirst: (text) => {
      if (!mayContainSecret(text)) return -1;
      let to = 0;
      for (const { index } of text.matchAll(hints)) {
        // This match lies in a name that was checked already.
        if (index < to) continue;
        const from = startOfName(text, index, to);
        to = endOfName(text, index);
        const name = text.slice(from, to);
        if (isClearlySecret(name)) return from;
        // In prose, words such as "card" or "key" are not secrets. They make a name secret only when a value follows.
        if (SECRET_WORD_PATTERN.test(splitWords(name)) && hasValue(text, from, to)) return from;
      }
      return -1;
    },
  };
}

function allowGaps(word: string): string {
  return Array.from(word).join(GAP);
}

function startOfName(text: string, index: number, minStart: number): number {
  let from = index;
  while (from > minStart && NAME_CHARACTER.test(text.charAt(from - 1))) from--;
  return from;
}

function endOfName(text: string, index: number): number {
  let to = index + 1;
  while (to < text.length && NAME_CHARACTER.test(text.charAt(to))) to++;
  return to;
}

/** Whether a value belongs to the name: `pin: …`, `pin=…`, `"pin": …`, or a tag with attributes. */
function hasValue(text: string, from: number, to: number): boolean {
  const previous = text[from - 1];
  return previous === '<' || previous === ':' || VALUE_FOLLOWS.test(text.slice(to, to + 10));
}

/** Splits a name into words: `userPin` has two. */
function splitWords(name: string): string {
  return name.replace(CAMEL_CASE_BORDER, '$1 ');
}

function keepLettersAndDigits(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
