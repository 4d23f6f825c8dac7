import type { AgentNames } from '@guard/analytics/agent-names';
import type { Explanation } from '@guard/validator';
import { columns, styled } from '../terminal/layout.ts';
import { printable } from '../terminal/printable.ts';

type Facts = Explanation['facts'];

export function describeFacts(facts: Facts, names: AgentNames): string[] {
  const rows = [
    ['address', addressOf(facts)],
    ['agent', agentOf(facts)],
    ...(names.browser === '' ? [] : [['recorded', recordedAs(names)]]),
    ['crawler', crawlerOf(facts.crawler)],
    ...(facts.signed_agent === null ? [] : [['signed by', signerOf(facts.signed_agent)]]),
    ['session', sessionOf(facts.session)],
  ];
  const [, ...others] = facts.readings;
  if (others.length > 0) rows.push(['path', `may also be read as ${others.join(' ')}`]);
  const shown = facts.representation === 'html' ? 'a page' : 'application/problem+json';
  rows.push(['if denied', shown]);
  return columns(rows, (text, column) => (column === 0 ? styled('dim', text) : text));
}

function addressOf({ ip, network, country, asn }: Facts): string {
  const place = country === null ? 'country unknown' : `country ${country}`;
  const system = asn === null ? 'no AS' : `AS ${asn}`;
  return [ip, network === null ? 'ordinary network' : `${network} network`, place, system].join(
    ', ',
  );
}

function agentOf({ user_agent, agent }: Facts): string {
  if (user_agent === '') return 'no User-Agent';
  const { engine, major, platform, mobile, http_client, automation } = agent;
  const claims = [
    engine === null ? 'no browser' : `${engine} ${major} on ${platform}${mobile ? ', mobile' : ''}`,
    ...(http_client === null ? [] : [`HTTP client ${JSON.stringify(http_client)}`]),
    ...(automation === null ? [] : [`automation ${JSON.stringify(automation)}`]),
  ];
  return `${claims.join(', ')}: ${printable(user_agent, 120)}`;
}

/** The names in the columns of the event. */
function recordedAs({ browser, version, os, device }: AgentNames): string {
  return [`${browser} ${version}`, os, device].filter((name) => name !== '').join(', ');
}

function crawlerOf(crawler: Facts['crawler']): string {
  if (crawler === null) return 'none';
  const { name, category, rsl_category, proof, allowlisted } = crawler;
  const listed = allowlisted ? 'on the allowlist' : 'not on the allowlist';
  return `${name} (${category}, ${rsl_category}), ${PROOFS[proof] ?? proof}, ${listed}`;
}

function signerOf({ name, directory }: NonNullable<Facts['signed_agent']>): string {
  return directory === '' ? name : `${name} (${directory})`;
}

const PROOFS: Readonly<Record<string, string>> = {
  verified: "verified: the address is its operator's",
  impersonator: "an impersonator: the address is not its operator's",
  unverifiable: 'not to be verified by its address',
};

const SESSIONS: Readonly<Record<Facts['session']['state'], string>> = {
  none: 'none',
  issued: 'issued, no challenge passed yet',
  verified: 'verified: it passed its challenge',
  rejected: 'rejected: it failed its challenge',
};

function sessionOf({ state, id }: Facts['session']): string {
  return id === null ? SESSIONS[state] : `${SESSIONS[state]} (${id})`;
}
