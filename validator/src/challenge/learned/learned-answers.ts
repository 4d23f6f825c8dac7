import { createHash, randomBytes } from 'node:crypto';
import type { Reason } from '@guard/config/contract/reasons';
import { parseIp } from '@guard/config/net/cidr';
import { ipv6NetworkOf, networkOf } from '@guard/config/net/network-of';
import { LRUCache } from 'lru-cache';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { ENGINES, readPageClaim } from '../../request/browser-claim.ts';
import { type Evidence, known } from '../../../page-contract/evidence.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { AnswerTable } from './answer-table.ts';
import { createQuestionPool, QUESTIONS } from './question-pool.ts';

/** This many rare answers of one page are a finding. One or two can come from a font or a setting. */
const RARE_ANSWERS = 3;
/** A page with this many answers that no engine gives is no browser. A fifth wrong answer may be copied or guessed. */
const STRANGE_ANSWERS = 4;
/** An extension may break this many. */
const MAY_LACK = 2;
/** Tables that are held, of about 700 bytes each; then those that were not used for longest are forgotten. */
const MOST_TABLES = 4096;

/** The result of judging a page's answers. */
export interface Answered {
  /** The page was asked, and gave fewer answers than any browser can give. */
  readonly isLacking: boolean;
  readonly found: readonly Reason[];
}

/** What is looked at of an upload. */
type Asked = Pick<Ticket, 'id' | 'issuedAt' | 'origin'>;
type Given = Pick<Evidence, 'agent' | 'readings'>;

export interface LearnedAnswers {
  /** Compares the answers of a page with those of others. Keeps nothing. */
  readonly judge: (ticket: Asked, evidence: Given) => Answered;
  /** Learns from a page that belongs to a person by all other evidence. `ip` is the address of the upload. */
  readonly teach: (ticket: Asked, evidence: Given, ip: string) => void;
}

const NOTHING: Answered = { isLacking: false, found: [] };

/**
 * Questions that the server cannot answer (question-pool.ts): what a browser engine writes, breaks and lays out.
 * A reader of Guard's code can compute what Guard computes. The answers to these questions are in no file. They are learned
 * from visitors, for each engine, version and system. So a program needs an engine of the claimed version, or one that
 * it asks each time.
 *
 * - Only hashes travel and are kept, in the memory of one thread: nothing to store, nothing to read back.
 * - One network has one voice for each question and kind of browser, so that no single address teaches.
 * - Too few visitors of a version: then those of its engine are the measure. Versions answer nearly alike.
 * - Who is rare does not teach where it is rare. So a crowd that gives a wrong answer stays rare, once people have
 *   answered first. New versions are learned as they come, because no answers are there for them.
 * - A rare answer is a weak finding: enough networks can teach a wrong answer for a browser that few people use.
 * - Answers that no engine gives are a strong finding once all three are learned: an extension that changes the name
 *   changes no engine. They are not conclusive, because a crowd that comes first could lock people out.
 */
export function createLearnedAnswers(secrets: readonly string[]): LearnedAnswers {
  const pool = createQuestionPool(secrets);
  const tables = new LRUCache<string, AnswerTable>({ max: MOST_TABLES });
  // Without the salt, the networks in memory could be found by hashing all networks.
  const salt = randomBytes(16);

  function answersOf({ id, issuedAt }: Asked, { readings }: Given): readonly Answer[] | undefined {
    const reading = known(readings.answers);
    const questions = reading && pool.read(id, issuedAt, reading.asked);
    return questions?.flatMap((question, at) => {
      const hash = reading?.hashes[at] ?? undefined;
      return hash === undefined ? [] : [{ question: hashOf(question), hash }];
    });
  }

  function isRareIn(group: string, answers: readonly Answer[]): boolean | undefined {
    const standings = answers.map(
      ({ question, hash }) => tables.get(`${group} ${question}`)?.standing(hash) ?? 'unknown',
    );
    const rare = standings.filter((standing) => standing === 'rare').length;
    const heard = standings.filter((standing) => standing !== 'unknown').length;
    return heard < RARE_ANSWERS ? undefined : rare >= RARE_ANSWERS;
  }

  /** Every engine has to be learned: a person's extension may name another one than the browser has. */
  function isOfNoEngine(answers: readonly Answer[]): boolean {
    const strange = answers.filter(({ question, hash }) =>
      ENGINES.every((engine) => tables.get(`${engine} ${question}`)?.neverGave(hash)),
    );
    return strange.length >= STRANGE_ANSWERS;
  }

  return {
    judge(ticket, evidence) {
      // The browser script's page is not ours, and is asked nothing.
      if (ticket.origin !== '') return NOTHING;
      const answers = answersOf(ticket, evidence);
      if (!answers || answers.length < QUESTIONS - MAY_LACK) return { isLacking: true, found: [] };
      const [own, engine] = groupsOf(evidence);
      const isRare = isRareIn(own, answers) ?? isRareIn(engine, answers) ?? false;
      if (!isRare) return NOTHING;
      const found = isOfNoEngine(answers) ? 'answers_of_no_engine' : 'answers_rare';
      return { isLacking: false, found: [found] };
    },
    teach(ticket, evidence, ip) {
      const address = parseIp(ip);
      const answers = answersOf(ticket, evidence);
      if (address === undefined || !answers) return;
      const network = hashOfNetwork(address, salt);
      for (const group of groupsOf(evidence)) {
        if (isRareIn(group, answers)) continue;
        for (const { question, hash } of answers) {
          const name = `${group} ${question}`;
          const table = tables.get(name) ?? new AnswerTable();
          table.teach(network, hash);
          tables.set(name, table);
        }
      }
    },
  };
}

interface Answer {
  /** Hash of its text. */
  readonly question: number;
  readonly hash: number;
}

/** Engine, version and system that a page claims, and the engine alone. */
function groupsOf({ agent }: Given): readonly [own: string, engine: string] {
  const { engine = 'other', major, platform } = readPageClaim(agent.userAgent);
  // Safari changes as much within a year's number as others do between two.
  const minor = engine === 'webkit' ? (/Version\/\d+(\.\d+)/.exec(agent.userAgent)?.[1] ?? '') : '';
  return [`${engine} ${major}${minor} ${platform}`, engine];
}

/** A /48 of IPv6 is what one customer can be given; who has it has 65,536 networks of the usual size. */
function hashOfNetwork(address: string, salt: Uint8Array): number {
  const network = address.includes(':') ? ipv6NetworkOf(address, 48) : networkOf(address);
  return createHash('sha256').update(salt).update(network).digest().readUInt32LE(0);
}
