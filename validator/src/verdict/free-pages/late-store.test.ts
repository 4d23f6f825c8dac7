import { expect, test } from 'vitest';
import { countAllowed, DETECT } from '../../../../test/kit/product/decisions.ts';
import {
  answeringLate,
  type TestValidator,
  validatorWith,
} from '../../../../test/kit/product/validator.ts';
import { pictureOfPage, scriptFetch, visit } from '../../../../test/kit/visitors/visitors.ts';

/** Free pages and data when the store is one that instances share. It answers with promises. */

const data = () => visit({ headers: scriptFetch });

function createGuard(): TestValidator {
  return validatorWith(DETECT, {
    organisation: { challenge: { pressure: false } },
    storeOf: answeringLate,
  });
}

test('five pages are free, and the data of an open page', async () => {
  const guard = createGuard();
  expect(await countAllowed(guard, 7, () => visit())).toBe(5);
  expect(await countAllowed(guard, 60, data)).toBe(60);
  expect(await countAllowed(guard, 7, () => visit({ headers: scriptFetch, ip: '84.1.1.1' }))).toBe(
    5,
  );
});

test('pictures without a file extension are free', async () => {
  const url = 'https://shop.example/media/7';
  expect(await countAllowed(createGuard(), 60, () => visit({ url, headers: pictureOfPage }))).toBe(
    60,
  );
});

test('an address gets 50 documents as data, and then its next page is challenged', async () => {
  const guard = createGuard();
  await guard.ask(visit());
  guard.origin.answers = 'document';
  expect(await countAllowed(guard, 90, data)).toBe(50);
  expect(await countAllowed(guard, 1, () => visit())).toBe(0);
  guard.origin.answers = 'data';
  expect(await countAllowed(guard, 1, data)).toBe(1);
});

test('when the question whether a visitor may get an answer fails, the visitor does not get it', async () => {
  const guard = validatorWith(DETECT, {
    storeOf: (memory) => ({
      ...answeringLate(memory),
      takeInProcess() {
        throw new Error('broken');
      },
    }),
  });
  guard.origin.answers = 'document';
  const url = 'https://shop.example/x.png';
  expect((await guard.ask(visit({ url, headers: pictureOfPage }))).decision).toBe('block');
  expect(guard.logged.at(-1)).toEqual(['validate_failed', { error: 'Error' }]);
  expect(guard.events.at(-1)).toMatchObject({ action: 'block', statusCode: 403 });
});
