import { ADDRESS_HEADERS } from '@guard/config/contract/address-headers';
import { expect, test } from 'vitest';
import { decodeBlock } from '../../testing/decode-block.ts';
import type { Decoded } from '../../testing/decode-block.ts';
import { sampleEvent } from '../../testing/sample-event.ts';
import { EVENT_COLUMNS } from './event-columns.ts';
import { BlockBuilder } from '../native/block.ts';
import { privateColumns } from './privacy.ts';
import { truncateAddress } from '@guard/config/net/truncate-address';

const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const event = sampleEvent({
  headers: {
    Accept: '*/*',
    'User-Agent': 'curl/8.5.0',
    'X-Account': '4711',
    'X-Forwarded-For': '203.0.113.7',
    Forwarded: 'for=203.0.113.7',
    Authorization: 'Bearer x',
  },
  referrerOrigin: 'https://search.example',
  userAgent: AGENT,
  session: '6b1f0d9c2e7a48358c5d1e9f70a2b4c6',
  sessionSent: '6b1f0d9c2e7a48358c5d1e9f70a2b4c6',
});

/** The row of the event under these settings. */
function rowOf(
  privacy: Parameters<typeof privateColumns>[0],
  recordedEvent = event,
): Record<string, Decoded> {
  const block = new BlockBuilder(privateColumns(privacy));
  block.add([recordedEvent]);
  const [row] = decodeBlock(block.take());
  return Object.fromEntries(row ?? []);
}

test('no column has a header field that the settings drop, in any spelling', () => {
  const headerNames = ['x-account', 'user-agent', 'referer'];
  const row = rowOf({ truncate_ip: false, drop_headers: headerNames });
  expect(JSON.stringify(row)).not.toMatch(/4711|curl|search\.example|Bearer/);
  expect(row).toMatchObject({
    ip: '203.0.113.7',
    user_agent: '',
    referrer_origin: '',
    headers: [
      ['accept', '*/*'],
      ['x-forwarded-for', '203.0.113.7'],
      ['forwarded', 'for=203.0.113.7'],
    ],
  });
});

test('only the columns of a dropped header field are empty', () => {
  const fullRow = rowOf(undefined);
  const emptiedHeaders = EVENT_COLUMNS.map(({ header: from }) => from ?? []).flat();
  expect(new Set(emptiedHeaders)).toEqual(new Set(['host', 'referer', 'user-agent', 'cookie']));
  for (const header of new Set(emptiedHeaders)) {
    const row = rowOf({ truncate_ip: false, drop_headers: [header] });
    for (const { name, header: from, values } of EVENT_COLUMNS) {
      if (name === 'headers') continue;
      const emptyValue = values.kind === 'count' ? 0 : '';
      expect(row[name], name).toEqual(from === header ? emptyValue : fullRow[name]);
      if (from === header) expect(fullRow[name], name).not.toEqual(emptyValue);
    }
  }
});

test('header fields of proxies do not reveal a truncated address', () => {
  const row = rowOf({ truncate_ip: true, drop_headers: [] });
  expect(row).toMatchObject({ ip: '203.0.113.0', user_agent: AGENT });
  expect(JSON.stringify(row)).not.toContain('203.0.113.7');
});

test.each(
  [...ADDRESS_HEADERS, 'x-forwarded-client-ip', 'fly-forwarded-for'].flatMap((name) => [
    name,
    name.replaceAll('-', '_').toUpperCase(),
  ]),
)('%s is not kept when the address is truncated', (name) => {
  const headers = { 'X-Forwarded-Proto': 'https', [name]: '203.0.113.7' };
  const row = rowOf({ truncate_ip: true, drop_headers: [] }, sampleEvent({ headers }));
  expect(row['headers']).toEqual([['x-forwarded-proto', 'https']]);
});

test.each([
  ['203.0.113.7', '203.0.113.0'],
  ['2001:db8:1234:5678::1', '2001:db8:1234::'],
  ['2001:db8:0:ffff:ffff:ffff:ffff:ffff', '2001:db8::'],
  ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8:ffff::'],
  ['::1', '::'],
  ['not an address', ''],
  ['a::b::c', ''],
])('%s is kept as "%s"', (ip, keptIp) => {
  expect(truncateAddress(ip)).toBe(keptIp);
});
