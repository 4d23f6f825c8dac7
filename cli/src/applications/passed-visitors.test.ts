import { expect, test } from 'vitest';
import { decisions, times } from '../../../test/kit/product/decisions.ts';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import { curl, scriptFetch, visit } from '../../../test/kit/visitors/visitors.ts';
import { APPLICATIONS } from './applications.ts';

/** Pages of these applications use the same interface as programs, and many people can have one address. */
test.each(['mediawiki', 'gitea', 'gitlab', 'ghost'] as const)(
  'visitors of %s who have passed a challenge do not use the budget of programs at their address',
  async (name) => {
    const { line = '', example = '' } = APPLICATIONS[name].rules.at(-1) ?? {};
    const guard = validatorWith(`[${line}, { name: everybody, match: {}, detect: true }]`);
    const url = `https://shop.example${example}`;
    for (let person = 0; person < 20; person++) {
      const cookie =
        (await guard.ask(visit({ ip: `84.115.9.${person}` }))).cookies?.[0]?.value ?? '';
      guard.store.keepSession(cookie, verifiedSession({ judgedAt: guard.time.now }), 600_000);
      const ask = () => visit({ cookie, url, headers: scriptFetch });
      expect(await decisions(guard, 40, ask)).toEqual(times(40, 'allow'));
    }
    const program = () => visit({ url, headers: curl });
    expect(await decisions(guard, 300, program)).toEqual(times(300, 'allow'));
    expect((await decisions(guard, 400, program)).at(-1)).toBe('block');
  },
);
