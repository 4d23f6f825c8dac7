import { inertJson } from '@guard/config/settings/problems/problems';
import { parseIp } from '@guard/config/net/cidr';
import { checks } from '../doctor/checks/list.ts';
import { collectEvidence, type Examination } from '../doctor/collect.ts';
import { describeFindings, type Finding } from '../doctor/describe-findings.ts';
import { findGuard, FIND_GUARD_OPTIONS, isHttp } from '../running-guard/find-guard.ts';
import { toPrintable } from '../terminal/printable.ts';
import { print } from '../terminal/terminal.ts';
import { createCommand } from '../command-line/command.ts';
import { switchOption, valueOption } from '../command-line/options.ts';

const MAX_TIMEOUT_S = 60;

export const doctor = createCommand({
  name: 'doctor',
  summary: 'Check a running deployment from outside, and report its problems.',
  usage: ['guard doctor URL [--config FILE] [--json]'],
  about: `Sends about ten requests to URL, as visitors do. For each thing that can go wrong between
visitors and Guard, it prints ok, warning, problem or not checked, why it matters, and what
to do. It checks redirects, TLS, the address that Guard sees and whether a visitor can forge
it, status and caching of the challenge, cookies, policy, changes of the page, uploads,
WebSockets and clocks.

Run it on a machine outside, as visitors are, and not on the machine of the proxy. With
--config and an analytics key it also asks Guard what it saw of these requests.`,
  options: {
    ...FIND_GUARD_OPTIONS,
    ip: valueOption(
      'ADDRESS',
      'the address of this machine as the site sees it, behind address translation',
    ),
    from: valueOption('ADDRESS', 'connect from this address of the machine'),
    websocket: valueOption(
      'PATH',
      'the path of a WebSocket of the site, best a path that is not protected',
    ),
    timeout: {
      ...valueOption('SECONDS', 'how long one request may take, default 10'),
      default: '10',
    },
    json: switchOption('one JSON object: `{ "url": …, "findings": [ … ] }`'),
  },
  notes: `The command changes nothing. Guard records the requests like those of any visitor, with the
User-Agent guard-doctor.`,
  exits:
    '0 no problem, maybe warnings; 1 a problem, or the settings are refused; 2 called wrongly.',
  async run({ values, positionals }) {
    const [url, more] = positionals;
    if (url === undefined || more !== undefined || !isHttp(url)) {
      return 'name one URL, as in: guard doctor https://shop.example/';
    }
    for (const name of ['ip', 'from'] as const) {
      const address = values[name];
      if (address !== undefined && parseIp(address) === undefined) {
        return `--${name} takes an IP address`;
      }
    }
    const timeoutS = Number(values.timeout);
    if (!(timeoutS > 0 && timeoutS <= MAX_TIMEOUT_S)) {
      return `--timeout takes 1 to ${MAX_TIMEOUT_S} seconds`;
    }
    if (values.websocket !== undefined && !URL.canParse(values.websocket, url)) {
      return '--websocket takes a path';
    }
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    const { ip, from, websocket, json } = values;
    const timeoutMs = timeoutS * 1000;
    return examine({ url, guard, timeoutMs, from, statedAddress: ip, webSocket: websocket }, json);
  },
});

async function examine(examination: Examination, json: boolean): Promise<number> {
  const evidence = await collectEvidence(examination);
  const findings = checks.map(({ name, judge }): Finding => {
    const outcome = judge(evidence);
    // A server can put anything into its headers, including terminal control codes.
    return { check: name, ...outcome, found: toPrintable(outcome.found) };
  });
  const { url } = examination;
  print(json ? inertJson({ url, findings }) : describeFindings(url, findings));
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}
