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

  test('every conclusive reason blocks by itself, every other one does not', () => {
    for (const [reason, { weight }] of Object.entries(reasons)) {
      const weighed = weigh([reason as Reason], false);
      expect(weighed, reason).toBe(weight >= 100 ? 'bad' : 'uncertain');
    }
  });
});
