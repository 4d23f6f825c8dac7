/** Recognises secrets by their names. */
export interface SecretNames {
  /** `user[newPassword]`, `card_number`, `otp`, or a name that the settings list. */
  readonly isSecret: (name: string) => boolean;
  /** A quick check. False when the text cannot contain the name of a secret. */
  readonly mayName: (text: string) => boolean;
  /** The index of the first secret name in a text of any kind. -1 when there is none. */
  readonly firstIn: (text: string) => number;
}

/** These words make a name secret wherever they stand in it. */
const ANYWHERE = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'kennwort', 'contrasena'],
  ...['contraseña', 'motdepasse', 'senha', 'wachtwoord', 'hasło', 'пароль', 'parola', '密码'],
  ...['パスワード', '비밀번호', 'secret', 'token', 'credential', 'authorization', 'authorisation'],
  ...['apikey', 'accesskey', 'privatekey', 'authkey', 'csrf', 'xsrf', 'sessid', 'sessionid'],
  ...['cardnum', 'cardno', 'ccnum', 'creditcard', 'cvc', 'cvv', 'cardcode', 'securitycode'],
  ...['verificationcode', 'accesscode', 'authcode', 'smscode', 'backupcode', 'recoverycode'],
  ...['onetimecode', 'socialsecurity'],
];
/** These make a name secret only as a whole word. `shipping` contains `pin`, and `company` contains `pan`. */
const AS_A_WORD = [
  ...['pass', 'pwd', 'pw', 'psw', 'mdp', 'pin', 'otp', 'totp', 'mfa', 'tan', 'key', 'auth', 'jwt'],
  ...['bearer', 'sid', 'session', 'cookie', 'signature', 'card', 'pan', 'csc', 'cvn', 'ssn'],
  'iban',
];
/** This makes a name secret only when it is the whole name. `country_code` is not secret. */
const ALONE = 'code';

/** What may stand between two letters of a word: `api_key`, `card[no]`. */
const GAP = '[\\d_.$[\\]-]{0,2}';
const CLEAR = new RegExp(ANYWHERE.map(withGaps).join('|'), 'iu');
const WORD = new RegExp(
  `(?<!\\p{L})(?:${AS_A_WORD.join('|')})(?!\\p{L})|^\\P{L}*${ALONE}\\P{L}*$`,
  'iu',
);
const CAMEL_CASE_BORDER = /([\p{Ll}\p{N}])(?=\p{Lu})/gu;
const NAME_CHARACTER = /[\p{L}\p{N}_.$-]/u;
/** What stands behind a name when a value follows: `=`, `:`, or the end of a tag. */
const INTRODUCES = /^[\s"'\\\]]{0,8}[:=>]/;

/** `more` are secret names from the settings. Upper case and punctuation in them do not matter. */
export function compileSecretNames(more: readonly string[]): SecretNames {
  const listed = new Set(more.map(lettersAndDigits));
  /** A text that matches none of these needs no closer look. Most texts do not match. */
  const hints = new RegExp(
    [...[...ANYWHERE, ...listed].map(withGaps), ...AS_A_WORD, ALONE].join('|'),
    'giu',
  );

  const mayName = (text: string) => text.search(hints) !== -1;

  function isClear(name: string): boolean {
    return CLEAR.test(name) || listed.has(lettersAndDigits(name));
  }

  return {
    mayName,
    isSecret: (name) => isClear(name) || WORD.test(inWords(name)),
    firstIn: (text) => {
      if (!mayName(text)) return -1;
      let to = 0;
      for (const { index } of text.matchAll(hints)) {
        // This match lies in a name that was checked already.
        if (index < to) continue;
        const from = startOfName(text, index, to);
        to = endOfName(text, index);
        const name = text.slice(from, to);
        if (isClear(name)) return from;
        // In prose, words such as "card" or "key" are not secrets. They count only when a value follows.
        if (WORD.test(inWords(name)) && hasValue(text, from, to)) return from;
      }
      return -1;
    },
  };
}

function withGaps(word: string): string {
  return Array.from(word).join(GAP);
}

function startOfName(text: string, within: number, atLeast: number): number {
  let from = within;
  while (from > atLeast && NAME_CHARACTER.test(text.charAt(from - 1))) from--;
  return from;
}

function endOfName(text: string, within: number): number {
  let to = within + 1;
  while (to < text.length && NAME_CHARACTER.test(text.charAt(to))) to++;
  return to;
}

/** Whether a value belongs to the name: `pin: …`, `pin=…`, `"pin": …`, or a tag with attributes. */
function hasValue(text: string, from: number, to: number): boolean {
  const before = text[from - 1];
  return before === '<' || before === ':' || INTRODUCES.test(text.slice(to, to + 10));
}

/** Splits a name into words: `userPin` has two. */
function inWords(name: string): string {
  return name.replace(CAMEL_CASE_BORDER, '$1 ');
}

function lettersAndDigits(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
