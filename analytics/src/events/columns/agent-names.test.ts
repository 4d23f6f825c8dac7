import { describe, expect, test } from 'vitest';
import { createAgentNames } from './agent-names.ts';

const agentNames = createAgentNames(() => 0);
const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('agent names: browser, version, system and device of a User-Agent', () => {
  test.each([
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/147.0.0.0 Safari/537.36`,
      ['chrome', 147, 'windows', 'desktop'],
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0`,
      ['edge', 147, 'windows', 'desktop'],
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
      ['safari', 17, 'macos', 'desktop'],
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
      ['safari', 17, 'ios', 'mobile'],
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; SM-S911B) ${KHTML} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
      ['samsung internet', 25, 'android', 'mobile'],
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KHTML} Chrome/119.0.0.0 Safari/537.36`,
      ['chrome', 119, 'chromeos', 'desktop'],
    ],
    ['Mozilla/5.0 (Android 14; Mobile; rv:124.0) Gecko/124.0 Firefox/124.0', ['firefox', 124, 'android', 'mobile']], // prettier-ignore
    ['curl/8.5.0', ['', 0, '', '']],
    ['', ['', 0, '', '']],
  ])('%s', (agent, [browser, version, os, device]) => {
    expect(agentNames(agent, false)).toEqual({ browser, version, os, device });
    expect(agentNames(agent, true)).toEqual({ browser: '', version: 0, os: '', device: '' });
  });

  test('in a flood of new User-Agents naming takes a tenth of the time; known User-Agents keep their names', () => {
    // Naming one User-Agent reads the clock. Each reading is 10 ms later than the one before, as if naming took 10 ms.
    let ms = 0;
    const nameAgent = createAgentNames(() => (ms += 10));
    const nameOf = (version: number) => nameAgent(`Mozilla/5.0 Firefox/${version}`, false).version;
    const versions = Array.from({ length: 30 }, (_, version) => version + 1).map(nameOf);
    const count = versions.filter((version) => version > 0).length;
    // A burst of 100 ms, and then 1 ms more for each 10 ms.
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThanOrEqual(16);
    expect(versions[0]).toBe(1);
    expect(nameOf(1)).toBe(1);
    expect(nameOf(31)).toBe(0);
    ms += 1_000;
    expect(nameOf(31)).toBe(31);
  });

  test('a version above the maximum of the column becomes the maximum, and text after 256 characters is not read', () => {
    expect(agentNames('Mozilla/5.0 Firefox/99999999', false).version).toBe(65_535);
    const paddedAgent = `Mozilla/5.0 (X11; Linux x86_64; ${'x'.repeat(256)}) Gecko/20100101 Firefox/124.0`;
    expect(agentNames(paddedAgent, false)).toEqual({
      browser: '',
      version: 0,
      os: 'linux',
      device: '',
    });
  });
});
