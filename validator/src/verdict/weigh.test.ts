import { entryOf, FINDINGS, type Reason } from '@guard/config/contract/reasons';
import { POINTS, THRESHOLDS } from '@guard/config/contract/strengths';
import { describe, expect, test } from 'vitest';
import { Strengths } from './strengths.ts';
import { weigh } from './weigh.ts';

const DEFAULT_STRENGTHS = new Strengths();
const weighFindings = (
  findings: readonly Reason[],
  verified = false,
  strengths = DEFAULT_STRENGTHS,
) => weigh(findings, verified, strengths);

describe('the weight of findings', () => {
  test('a request without findings is clean', () => {
    expect(weighFindings([])).toBe('clean');
  });

  test('one strong or two weak findings reach ask, and one conclusive or three strong findings reach reject', () => {
    expect([POINTS.strong, 2 * POINTS.weak]).toEqual([THRESHOLDS.ask, THRESHOLDS.ask]);
    expect([POINTS.conclusive, 3 * POINTS.strong]).toEqual([THRESHOLDS.reject, THRESHOLDS.reject]);
  });

  test('one finding alone reaches reject when it is conclusive, ask when it is strong, and otherwise no threshold', () => {
    const alone = {
      off: 'clean',
      note: 'clean',
      weak: 'clean',
      strong: 'ask',
      conclusive: 'reject',
    };
    for (const reason of FINDINGS) {
      const { strength = 'off' } = entryOf(reason);
      expect(weighFindings([reason]), reason).toBe(alone[strength]);
    }
  });

  test('a kind of network alone leads to a challenge, and never to a block', () => {
    expect(weighFindings(['datacenter_ip', 'vpn_ip', 'tor_ip', 'session_moved'])).toBe('ask');
  });

  test('a script that names itself is challenged and not blocked, even in a datacenter', () => {
    expect(weighFindings(['http_client_user_agent', 'datacenter_ip'])).toBe('ask');
  });

  test('three strong findings of independent groups reject', () => {
    expect(weighFindings(['client_hints_mismatch', 'header_missing'])).toBe('ask');
    expect(weighFindings(['client_hints_mismatch', 'header_missing', 'datacenter_ip'])).toBe(
      'reject',
    );
  });

  test('for a session that passed, only a conclusive finding has an effect', () => {
    expect(weighFindings(['client_hints_mismatch', 'header_missing', 'vpn_ip'], true)).toBe(
      'clean',
    );
    expect(weighFindings(['crawler_impersonator'], true)).toBe('reject');
  });

  test('a session that moved to another kind of network has to pass again', () => {
    expect(weighFindings(['datacenter_ip', 'session_moved'], true)).toBe('ask');
    const otherFindings: Reason[] = ['client_hints_mismatch', 'header_missing'];
    expect(weighFindings([...otherFindings, 'session_moved'], true)).toBe('reject');
  });

  test('two weak findings of different groups reach ask, and two of one group do not', () => {
    expect(weighFindings(['accept_encoding_unusual', 'header_order_mismatch'])).toBe('ask');
    expect(weighFindings(['accept_encoding_unusual', 'navigation_incomplete'])).toBe('clean');
    expect(weighFindings(['fonts_mismatch', 'graphics_mismatch'])).toBe('clean');
  });

  test('the points of findings of one category are added when their groups differ', () => {
    expect(weighFindings(['fonts_mismatch', 'codecs_mismatch'])).toBe('ask');
  });

  test('weak findings never turn a challenge into a block, however many they are', () => {
    const weak = FINDINGS.filter((reason) => entryOf(reason).strength === 'weak');
    expect(weak.length).toBeGreaterThan(5);
    expect(weighFindings(['header_missing', 'datacenter_ip', ...weak])).toBe('ask');
  });

  test('notes decide nothing, however many they are', () => {
    const notes = FINDINGS.filter((reason) => entryOf(reason).strength === 'note');
    expect(notes.length).toBeGreaterThan(2);
    expect(weighFindings(notes)).toBe('clean');
    expect(weighFindings([...notes, 'language_mismatch'])).toBe('clean');
  });

  test('findings about headers alone never block, however many they are, and a false User-Agent alone never blocks', () => {
    for (const group of ['headers', 'other_client'] as const) {
      const findingsOfGroup = FINDINGS.filter((reason) => entryOf(reason).group === group);
      expect(findingsOfGroup.length).toBeGreaterThan(5);
      expect(weighFindings(findingsOfGroup)).toBe('ask');
    }
  });

  test('a browser with a false User-Agent in a VPN is challenged and not blocked', () => {
    const findingsOfFalseAgent: Reason[] = [
      'agent_impossible',
      'client_hints_mismatch',
      'tls_fingerprint_mismatch',
      'http2_fingerprint_mismatch',
      'page_mismatch',
      'worker_mismatch',
    ];
    expect(weighFindings([...findingsOfFalseAgent, 'vpn_ip', 'fonts_mismatch'])).toBe('ask');
  });
});

describe('the strengths of an organisation', () => {
  test('a finding has the strength that the settings give', () => {
    const strengths = new Strengths({
      webdriver: 'weak',
      language_mismatch: 'strong',
      vpn_ip: 'conclusive',
    });
    expect(weighFindings(['webdriver'], false, strengths)).toBe('clean');
    expect(weighFindings(['language_mismatch'], false, strengths)).toBe('ask');
    expect(weighFindings(['vpn_ip'], true, strengths)).toBe('reject');
  });

  test('withoutOff leaves out reasons that are off, and returns the list itself when no finding is off', () => {
    const findings: Reason[] = ['vpn_ip', 'header_missing'];
    expect(new Strengths({ vpn_ip: 'off' }).withoutOff(findings)).toEqual(['header_missing']);
    expect(new Strengths({ vpn_ip: 'note' }).withoutOff(findings)).toBe(findings);
  });

  test('a reason that is no finding has no points', () => {
    expect(weighFindings(['policy_block', 'rate_limit_exceeded', 'challenge_incomplete'])).toBe(
      'clean',
    );
  });
});
