/** Recognises secrets by their names. */
export interface SecretNames {
  /** `user[newPassword]`, `card_number`, `otp`, or a name that the settings list. */
  readonly isSecret: (name: string) => boolean;
  /** False where no name of a secret can be in it: quick. */
  readonly mayName: (text: string) => boolean;
  /** Where a text of any kind first names a secret; -1 where it never does. */
  readonly firstIn: (text: string) => number;
}

/** Within a name, whatever stands around them. */
const ANYWHERE = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'kennwort', 'contrasena'],
  ...['contraseña', 'motdepasse', 'senha', 'wachtwoord', 'hasło', 'пароль', 'parola', '密码'],
  ...['パスワード', '비밀번호', 'secret', 'token', 'credential', 'authorization', 'authorisation'],
  ...['apikey', 'accesskey', 'privatekey', 'authkey', 'csrf', 'xsrf', 'sessid', 'sessionid'],
  ...['cardnum', 'cardno', 'ccnum', 'creditcard', 'cvc', 'cvv', 'cardcode', 'securitycode'],
  ...['verificationcode', 'accesscode', 'authcode', 'smscode', 'backupcode', 'recoverycode'],
  ...['onetimecode', 'socialsecurity'],
];
/** As one word of a name: a shipping holds a pin, too, and a company a pan. */
const AS_A_WORD = [
  ...['pass', 'pwd', 'pw', 'psw', 'mdp', 'pin', 'otp', 'totp', 'mfa', 'tan', 'key', 'auth', 'jwt'],
  ...['bearer', 'sid', 'session', 'cookie', 'signature', 'card', 'pan', 'csc', 'cvn', 'ssn'],
  'iban',
];
/** As the whole of a name: a country has a code, too. */
const ALONE = 'code';

/** What may stand between two letters: `api_key`, `card[no]`. */
const GAP = '[\\d_.$[\\]-]{0,2}';
const CLEAR = new RegExp(ANYWHERE.map(spelt).join('|'), 'iu');
const WORD = new RegExp(
  `(?<!\\p{L})(?:${AS_A_WORD.join('|')})(?!\\p{L})|^\\P{L}*${ALONE}\\P{L}*$`,
  'iu',
);
const HUMP = /([\p{Ll}\p{N}])(?=\p{Lu})/gu;
const NAME_CHARACTER = /[\p{L}\p{N}_.$-]/u;
/** Behind a name that introduces a value: `=`, `:`, or the end of a tag. */
const INTRODUCES = /^[\s"'\\\]]{0,8}[:=>]/;

/** `more` are names from the settings; case and punctuation do not matter. */
export function compileSecretNames(more: readonly string[]): SecretNames {
  const listed = new Set(more.map(squeezed));
  /** Most of what a body holds has none of these anywhere, and is looked at no further. */
  const hints = new RegExp(
    [...[...ANYWHERE, ...listed].map(spelt), ...AS_A_WORD, ALONE].join('|'),
    'giu',
  );

  const mayName = (text: string) => text.search(hints) !== -1;

  function isClear(name: string): boolean {
    return CLEAR.test(name) || listed.has(squeezed(name));
  }

  return {
    mayName,
    isSecret: (name) => isClear(name) || WORD.test(inWords(name)),
    firstIn: (text) => {
      if (!mayName(text)) return -1;
      let to = 0;
      for (const { index } of text.matchAll(hints)) {
        // Inside a name that was looked at.
        if (index < to) continue;
        const from = startOfName(text, index, to);
        to = endOfName(text, index);
        const name = text.slice(from, to);
        if (isClear(name)) return from;
        // In prose a card or a key is none: only where it has a value.
        if (WORD.test(inWords(name)) && hasValue(text, from, to)) return from;
      }
      return -1;
    },
  };
}

function spelt(word: string): string {
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

/** `pin: …`, `pin=…`, `"pin": …`, or a tag, whose attributes are values. */
function hasValue(text: string, from: number, to: number): boolean {
  const before = text[from - 1];
  return before === '<' || before === ':' || INTRODUCES.test(text.slice(to, to + 10));
}

/** `userPin` has two. */
function inWords(name: string): string {
  return name.replace(HUMP, '$1 ');
}

function squeezed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
