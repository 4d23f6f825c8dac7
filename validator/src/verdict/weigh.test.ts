import { type Reason, reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import { weigh } from './weigh.ts';

describe('what findings amount to', () => {
  test('nothing found is clean', () => {
    expect(weigh([], false)).toBe('clean');
  });

  test('a network alone never blocks: whoever has such an address is asked', () => {
    for (const reason of ['datacenter_ip', 'vpn_ip', 'tor_ip'] satisfies Reason[]) {
      expect(weigh([reason], false)).toBe('uncertain');
    }
    expect(weigh(['datacenter_ip', 'vpn_ip', 'tor_ip'], false)).toBe('uncertain');
  });

  test('an honest script in a datacenter is asked, too', () => {
    expect(weigh(['http_client_user_agent', 'datacenter_ip'], false)).toBe('uncertain');
  });

  test('several independent contradictions block', () => {
    expect(weigh(['client_hints_mismatch', 'header_missing'], false)).toBe('bad');
  });

  test('a passed challenge answers every doubt, and nothing conclusive', () => {
    expect(weigh(['client_hints_mismatch', 'header_missing', 'vpn_ip'], true)).toBe('clean');
    expect(weigh(['crawler_impersonator'], true)).toBe('bad');
  });

  test('a session that was carried elsewhere has to pass once more', () => {
    expect(weigh(['datacenter_ip', 'session_moved'], true)).toBe('uncertain');
    expect(weigh(['client_hints_mismatch', 'header_missing', 'session_moved'], true)).toBe('bad');
  });

  test('every conclusive reason blocks by itself, a weak one does nothing, the others ask', () => {
    for (const [reason, { weight }] of Object.entries(reasons)) {
      const expected = weight >= 100 ? 'bad' : weight >= 40 ? 'uncertain' : 'clean';
      expect(weigh([reason as Reason], false), reason).toBe(expected);
    }
  });

  test('two weak signs of different kinds ask, two of one kind do not', () => {
    expect(weigh(['accept_encoding_unusual', 'header_order_mismatch'], false)).toBe('uncertain');
    expect(weigh(['accept_encoding_unusual', 'navigation_incomplete'], false)).toBe('clean');
  });

  test('weak signs never turn a question into a block', () => {
    const doubts: Reason[] = ['header_missing', 'datacenter_ip'];
    expect(weigh(doubts, false)).toBe('uncertain');
    expect(weigh([...doubts, 'header_order_mismatch'], false)).toBe('uncertain');
  });

  test('odd headers alone never block, however many', () => {
    const odd = Object.entries(reasons)
      .filter(([, { category }]) => category === 'header_anomaly')
      .map(([reason]) => reason as Reason);
    expect(odd.length).toBeGreaterThan(5);
    expect(weigh(odd, false)).toBe('uncertain');
  });
});
