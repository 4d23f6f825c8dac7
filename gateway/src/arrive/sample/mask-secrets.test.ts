import { describe, expect, test } from 'vitest';
import { seededRandom, type SeededRandom } from '../../../../test/kit/seeded-random.ts';
import { maskSecrets } from './mask-secrets.ts';
import { compileSecretNames } from './secret-names.ts';

const names = compileSecretNames(['Date-of-Birth']);
const form = (text: string) => maskSecrets(text, 'form', names);
const maskText = (text: string) => maskSecrets(text, 'text', names);

describe('a field is secret by its name', () => {
  test.each([
    ...['password', 'user[newPassword]', 'PASSWD', 'pwd', 'pass1', 'passwort', 'пароль', 'otp'],
    ...['pin', 'userPIN2', 'cardNumber', 'card_cvc', 'cc-cvv', 'api_key', 'x-api-key', 'apiKey'],
    ...['client_secret', 'refreshToken', 'Authorization', 'csrf', 'PHPSESSID', 'code', 'sms_code'],
    ...['date_of_birth', 'dateOfBirth'],
  ])('the name %s is secret', (name) => {
    expect(names.isSecret(name)).toBe(true);
  });

  test.each([
    ...['shipping', 'spinning', 'company', 'compass', 'keyboard', 'author', 'standard', 'email'],
    ...['country_code', 'message', 'birthday', 'discard', 'username', ''],
  ])('the name "%s" is not secret', (name) => {
    expect(names.isSecret(name)).toBe(false);
  });
});

test.each([
  ['user=bob&password=hunter2&go=1', 'user=bob&password=***&go=1'],
  ['user%5Bpass%77ord%5D=hunter2&a=%', 'user%5Bpass%77ord%5D=***&a=%'],
  ['payload=%7B%22password%22%3A%22hunter2%22%7D&a=1', 'payload=***&a=1'],
  ['password: hunter2', '***'],
  ['note=a+card+and+a+key', 'note=a+card+and+a+key'],
  ['note=my+card:+4111', 'note=***'],
  ['my password is hunter2=&a=1', '***&a=1'],
  ['a&b==&', 'a&b==&'],
])('the form %s is kept as %s', (text, sample) => {
  expect(form(text)).toBe(sample);
});

test('JSON with the type of a form is read as JSON', () => {
  expect(form('{"password":"hun&ter2","a":"="}')).toBe('{"password":"***","a":"="}');
});

test.each([
  [
    '{"user":"bob","password":"hunter2","n":[1,-2.5e3,true,null]}',
    '{"user":"bob","password":"***","n":[1,-2.5e3,true,null]}',
  ],
  ['{"p\\u0061ssword":"hunter2"}', '{"p\\u0061ssword":"***"}'],
  ['[{"pin":1234},{"pin":null}]', '[{"pin":"***"},{"pin":"***"}]'],
  ['{"card":{"number":"4111","x":["a",{"b":"c\\""}]},"a":1}', '{"card":"***","a":1}'],
  ['{"query":"{ login(password: \\"hunter2\\") { id } }"}', '{"query":"***"}'],
  [' {"a" : "b" , "token" : "x" } ', ' {"a" : "b" , "token" : "***"}'],
  ['{"password":"hunt', '{"password":"***"'],
  ['{"pin":12', '{"pin":"***"'],
  ['{"card":{"number":"41', '{"card":"***"'],
  ['{"a":"b","passw', '{"a":"b","passw'],
  // From here on the text is not JSON: it is masked as plain text, and everything after a secret is left out.
  ["{password:'hunter2'}", '{***'],
  ['{"a":1 "password":"hunter2"}', '{"a":1 "***'],
  ['{"password":hunter2,"a":"b"}', '{"password":"***"'],
  ['{"password":"hun"ter2","a":"b"}', '{"password":"***"'],
  ['{"password"="hunter2"}', '{"password"'],
  ['["password":"hunter2"]', '["***"'],
  ['{"password":"a"}\n{"user":"hunter2"}', '{"password":"***"}'],
  ['{"a":1}\n{"password":"hunter2"}', '{"a":1}\n{"***'],
])('no secret of the JSON %s is kept', (json, sample) => {
  expect(maskText(json)).toBe(sample);
});

test('deeply nested JSON is read as plain text', () => {
  const nestedJson = '['.repeat(16_000);
  expect(maskText(`${nestedJson}"a","password":"hunter2"`)).toBe(`${nestedJson}"a","***`);
});

test.each([
  ['<login><user>bob</user><password>hunter2</password></login>', '<login><user>bob</user><***'],
  ['<ns:card number="4111"/>', '<ns:***'],
  ['user=bob\r\npin=1234\r\n', 'user=bob\r\n***'],
  ['I like my card and my key.', 'I like my card and my key.'],
])('the text %s is kept as %s', (text, sample) => {
  expect(maskText(text)).toBe(sample);
});

/**
 * The characters of the secrets below. Names and other values do not have these characters. So such a character in a
 * sample is a leak.
 */
const SECRET = /[ZQXJ]/;
const SECRET_NAMES = [
  'password',
  'card[cvc]',
  'apiKey',
  'otp',
  'refresh_token',
  'user.pin',
] as const;
const OTHER_NAMES = ['user', 'email', 'shipping', 'note', 'ids[]', 'ümlaut "quoted"'] as const;
const OTHER_VALUES = ['', 'bob', 'b&b=c', 'ä€😀', '"{}[],:\\', '  ', '1234', '+%41'] as const;

function secretOf(random: SeededRandom): string {
  const letters = [
    'Z',
    'Q',
    'X',
    'J',
    'ZQ"',
    'X,}',
    'J]&=',
    '\\Q',
    'Z😀',
    'Q%4X+ ',
    'X\n',
  ] as const;
  return Array.from({ length: 1 + random.below(12) }, () => random.pick(letters)).join('');
}

function anyForm(random: SeededRandom): string {
  const pairs = Array.from({ length: 1 + random.below(6) }, (): [string, string] =>
    random.below(2) === 0
      ? [random.pick(SECRET_NAMES), secretOf(random)]
      : [random.pick(OTHER_NAMES), random.pick(OTHER_VALUES)],
  );
  return new URLSearchParams(pairs).toString();
}

function anyValue(random: SeededRandom, isSecret: boolean, depth = 0): unknown {
  const leaf = () => (isSecret ? secretOf(random) : random.pick(OTHER_VALUES));
  if (depth > 3) return leaf();
  switch (random.below(5)) {
    case 0:
      return Array.from({ length: random.below(3) }, () => anyValue(random, isSecret, depth + 1));
    case 1:
      return anyObject(random, isSecret, depth + 1);
    default:
      return leaf();
  }
}

function anyObject(random: SeededRandom, isSecret: boolean, depth = 0): unknown {
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () =>
      random.below(2) === 0
        ? [random.pick(SECRET_NAMES), anyValue(random, true, depth)]
        : [random.pick(OTHER_NAMES), anyValue(random, isSecret, depth)],
    ),
  );
}

describe('property: a sample has no byte of a secret, at whatever byte the sample is cut', () => {
  test.each([
    ['form', anyForm],
    [
      'text',
      (random: SeededRandom) => JSON.stringify(anyObject(random, false), null, random.below(3)),
    ],
  ] as const)('as %s', (content, makeBody) => {
    const random = seededRandom();
    let withSecret = 0;
    for (let round = 0; round < 4000; round++) {
      const body = Buffer.from(makeBody(random));
      const bodyStart = body.subarray(0, random.below(body.length + 1));
      const sample = new TextDecoder().decode(bodyStart, { stream: true });
      if (SECRET.test(sample)) withSecret++;
      const masked = maskSecrets(sample, content, names);
      expect(SECRET.test(masked), `seed ${random.seed}: ${sample} became ${masked}`).toBe(false);
    }
    expect(withSecret).toBeGreaterThan(500);
  });

  test('a text without secret names is kept unchanged', () => {
    const random = seededRandom();
    for (let round = 0; round < 1000; round++) {
      const pairs = Array.from({ length: 4 }, (): [string, string] => [
        random.pick(OTHER_NAMES),
        random.pick(OTHER_VALUES),
      ]);
      const asForm = new URLSearchParams(pairs).toString();
      expect(form(asForm), `seed ${random.seed}`).toBe(asForm);
      const asJson = JSON.stringify(pairs.map(([name, value]) => ({ [name]: value })));
      expect(maskText(asJson), `seed ${random.seed}`).toBe(asJson);
    }
  });
});
