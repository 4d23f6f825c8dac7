import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { refusingAddress } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const EXPIRY = 'guard_gateway_certificate_expiry_timestamp_seconds';

test('the gauge has the time at which each certificate in use expires, with the first host as label, in seconds since 1970', async () => {
  const shop = { ...selfSigned('shop.example', '*.shop.example'), expiresAt: 1_800_000_000_999 };
  const blog = { ...selfSigned('blog.example'), expiresAt: 1_900_000_000_000 };
  const rig = await startGateway({ origin: refusingAddress(), certificates: [shop, blog] });
  expect(rig.gaugeValue(EXPIRY)).toEqual(
    new Map([
      ['shop.example', 1_800_000_000],
      ['blog.example', 1_900_000_000],
    ]),
  );
  const earlierShop = { ...shop, expiresAt: 1_700_000_000_000 };
  rig.gateway.reload({ ...rig.settings, certificates: [shop, earlierShop] });
  expect(rig.gaugeValue(EXPIRY)).toEqual(new Map([['shop.example', 1_700_000_000]]));
});

test('a gateway without https reports no certificate', async () => {
  const rig = await startGateway({ origin: refusingAddress() });
  expect(rig.gaugeValue(EXPIRY)).toBeUndefined();
});
