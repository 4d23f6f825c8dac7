import { useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Change, Replay } from './replay.tsx';
import type { WholeEvent } from './whole-event.ts';

interface Option {
  readonly id: string;
  readonly words: string;
  readonly value: string;
  readonly change: Change;
}

/** "Let this visitor in": how narrow, the change of guard.yaml, and what else it would change. */
export function LetIn({ event }: { readonly event: WholeEvent }) {
  const options = optionsOf(event);
  const [chosen, setChosen] = useState(options[0]?.id);
  const [tried, setTried] = useState<Option>();
  const option = options.find(({ id }) => id === chosen);
  if (option === undefined) return null;
  return (
    <section class="let-in">
      <h3>Let this visitor in</h3>
      <p class="about">
        Nothing is changed here. You see what to paste into guard.yaml, and what else it would
        change.
      </p>
      <fieldset>
        <legend>Let in</legend>
        {options.map(({ id, words, value }) => (
          <label key={id} class="tick">
            <input
              type="radio"
              name="let-in"
              checked={id === chosen}
              onChange={() => {
                setChosen(id);
                setTried(undefined);
              }}
            />{' '}
            {words} <code>{value}</code>
          </label>
        ))}
      </fieldset>
      <p>
        <button type="button" class="main" onClick={() => setTried(option)}>
          Show the change
        </button>{' '}
        <CopyButton text={option.value} label="Copy value" />
      </p>
      {tried === undefined ? null : (
        <Replay
          key={tried.id}
          title={`${tried.words} ${tried.value}`}
          change={tried.change}
          close={() => setTried(undefined)}
        />
      )}
    </section>
  );
}

function optionsOf(event: WholeEvent): Option[] {
  const options: Option[] = [];
  const allow = (id: string, words: string, value: string, match: object): void => {
    if (value !== '') options.push({ id, words, value, change: { kind: 'allow', match } });
  };
  const came = event.text('session_sent') !== '';
  const session = (): void => {
    allow('session', 'This session', event.session, { session: event.session });
  };
  if (came) session();
  allow('address', 'This address', event.ip, { ip: event.ip });
  const network = networkOf(event.ip);
  allow('network', 'This network', network, { ip: network });
  allow('agent', 'Everybody with this agent', event.userAgent, { user_agent: event.userAgent });
  // A visitor who sent none may never send it: it is no good first choice.
  if (!came) session();
  const weighed = event.findings.filter(({ points }) => points > 0);
  for (const { name } of weighed) {
    options.push({
      id: `reason ${name}`,
      words: 'Everybody with this reason: it is named and weighs nothing',
      value: name,
      change: { kind: 'reason', reason: name, strength: 'note' },
    });
  }
  return options;
}

/** The /24 of an IPv4 address, the /48 of another; empty where it is none. */
export function networkOf(ip: string): string {
  if (/^\d+(?:\.\d+){3}$/.test(ip)) return `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;
  if (!ip.includes(':')) return '';
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined
      ? []
      : Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0');
  return `${[...groups, ...zeros, ...behind].slice(0, 3).join(':')}::/48`;
}
