import { expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import { crowdsecSignal } from './crowdsec.ts';
import { factsOf } from './testing/facts.ts';

test('only a visitor whom CrowdSec lists has the finding crowdsec_listed', () => {
  expect(crowdsecSignal(factsOf(chromeHttps, { isListed: () => true }))).toEqual([
    'crowdsec_listed',
  ]);
  expect(crowdsecSignal(factsOf(chromeHttps))).toEqual([]);
});
