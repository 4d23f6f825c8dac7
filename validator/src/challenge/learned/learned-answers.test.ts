import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { rounds } from '../../../../test/kit/seeded-random.ts';
import { answering } from '../testing/answers.ts';
import { aChallengedVisitor, fixture } from '../testing/challenged-visitor.ts';
import { MIN_NETWORKS, NETWORKS } from './answer-table.ts';
import { createLearnedAnswers } from './learned-answers.ts';
import { createQuestionPool, QUESTIONS } from './question-pool.ts';

const SECRETS = ['the secret of these tests'];
const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

const CHROME = agentOf('Windows NT 10.0; Win64; x64', 'Chrome/156.0.0.0 Safari/537.36');
const NEXT_CHROME = agentOf('Windows NT 10.0; Win64; x64', 'Chrome/157.0.0.0 Safari/537.36');
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0';
const SAFARI = agentOf('Macintosh; Intel Mac OS X 10_15_7', 'Version/18.5 Safari/605.1.15').replace(
  '537.36',
  '605.1.15',
);
const ON_LINUX = agentOf('X11; Linux x86_64', 'Chrome/156.0.0.0 Safari/537.36');

function agentOf(system: string, browser: string): string {
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}`;
}

const { readings } = fixture('human/chrome-windows-office-fonts.json').evidence;
const pool = createQuestionPool(SECRETS);

let tickets = 0;
beforeEach(() => {
  tickets = 0;
});

/** Gives each test the same ticket ids. They decide the questions, and so few visits teach only some of these. */
function newTicketId(): string {
  tickets += 1;
  return createHash('sha256').update(`ticket ${tickets}`).digest('base64url').slice(0, 16);
}

/** Returns the answer of a browser to a question. The question starts with the letter of its kind. */
type Answers = (question: string) => number | null;
const asPeople: Answers = (question) => hashOf(question);
const otherwise: Answers = (question) => hashOf(`other ${question}`);
let drawn = 0;
/** Gives another answer each time. */
const random: Answers = (question) => hashOf(`${question} ${drawn++}`);

/** An upload for a new ticket, from a browser with these answers. */
function upload(answer: Answers, userAgent = CHROME, issuedAt = NOW_MS) {
  const ticket = { id: newTicketId(), issuedAt, origin: '' };
  const questions = pool.issue(ticket.id, issuedAt);
  const value = { asked: hashOf(questions), hashes: questions.split('~').map(answer) };
  const agent = { userAgent, platform: '' };
  return { ticket, evidence: { agent, readings: { ...readings, answers: { value } } } };
}

/** Learned answers after several visits from each of these networks. */
function taught(networks: number, answer = asPeople, userAgent = CHROME) {
  const learned = createLearnedAnswers(SECRETS);
  const teach = (count: number, how: Answers, from = 0, claimed = userAgent) => {
    for (let network = from; network < from + count; network++) {
      for (let visit = 0; visit < 12; visit++) {
        const { ticket, evidence } = upload(how, claimed);
        learned.teach(ticket, evidence, `10.${network >> 8}.${network & 255}.${visit}`);
      }
    }
  };
  const isRare = (how: Answers, claimed = userAgent) => {
    const { ticket, evidence } = upload(how, claimed);
    return learned.judge(ticket, evidence).found.includes('answers_rare');
  };
  teach(networks, answer);
  return { learned, teach, isRare };
}

describe('17.3 questions that are learned: the pool', () => {
  test('threads and instances draw the same questions, and a ticket keeps its questions', () => {
    const other = createQuestionPool(SECRETS);
    for (let round = rounds(300, 100); round > 0; round--) {
      const id = newTicketId();
      const text = other.issue(id, NOW_MS);
      expect(pool.read(id, NOW_MS, hashOf(text))).toEqual(text.split('~'));
      expect(new Set(text.split('~')).size).toBe(QUESTIONS);
    }
  });

  test('twelve questions are in use; one changes each half hour, and all change in six hours', () => {
    const out = (atMs: number) => {
      const ids = Array.from({ length: 400 }, newTicketId);
      return new Set(ids.flatMap((id) => pool.issue(id, atMs).split('~')));
    };
    const now = out(NOW_MS);
    expect(now.size).toBe(12);
    const later = out(NOW_MS + HOUR_MS / 2);
    expect([...later].filter((question) => now.has(question))).toHaveLength(11);
    const nextLife = out(NOW_MS + 6 * HOUR_MS);
    expect([...nextLife].filter((question) => now.has(question))).toEqual([]);
  });

  test('the pool reads a ticket of the previous secret, but not of another secret', () => {
    const rotated = createQuestionPool(['a new secret', ...SECRETS]);
    const id = newTicketId();
    const asked = hashOf(pool.issue(id, NOW_MS));
    expect(rotated.read(id, NOW_MS, asked)).toBeDefined();
    expect(createQuestionPool(['a new secret']).read(id, NOW_MS, asked)).toBeUndefined();
  });

  test('the questions of a page are short, and fit into an attribute', () => {
    for (let round = rounds(2_000, 500); round > 0; round--) {
      const text = pool.issue(newTicketId(), NOW_MS + round * HOUR_MS);
      expect(text.length).toBeLessThan(900);
      expect(text.split('~')).toHaveLength(QUESTIONS);
      expect(text).not.toMatch(/[\n<]|url\(/);
    }
  });
});

describe('17.3 questions that are learned: what others answered', () => {
  test('answers_rare: after sixteen networks, a visitor with other answers is found', () => {
    expect(taught(MIN_NETWORKS - 1).isRare(random)).toBe(false);
    const { isRare } = taught(MIN_NETWORKS);
    expect(isRare(random)).toBe(true);
    expect(isRare(otherwise)).toBe(true);
    expect(isRare(asPeople)).toBe(false);
  });

  test('one network has one vote, and an IPv6 /48 has one vote', () => {
    const { learned, isRare } = taught(0);
    for (let visit = 0; visit < 500; visit++) {
      const { ticket, evidence } = upload(asPeople);
      learned.teach(ticket, evidence, `198.51.100.${visit % 250}`);
      learned.teach(ticket, evidence, `2001:db8:1:${visit.toString(16)}::1`);
    }
    expect(isRare(random)).toBe(false);
  });

  test('two rare answers are no finding, because a font or a setting can cause them', () => {
    const { isRare } = taught(MIN_NETWORKS);
    const oddFonts: Answers = (question) =>
      /^[bw]/.test(question) ? otherwise(question) : asPeople(question);
    expect(Array.from({ length: 50 }, () => isRare(oddFonts))).not.toContain(true);
  });

  test('no finding when people disagree, or for the smaller of two groups', () => {
    const { teach, isRare } = taught(8);
    teach(4, otherwise, 100);
    teach(30, asPeople, 200);
    expect(isRare(otherwise)).toBe(false);
    expect(isRare(random)).toBe(true);
    const split = taught(0);
    for (let camp = 0; camp < 8; camp++) {
      split.teach(6, (question) => hashOf(`${camp} ${question}`), camp * 10);
    }
    expect(split.isRare(random)).toBe(false);
  });

  test('a version without earlier visitors is compared with its engine, until it is learned', () => {
    const { teach, isRare } = taught(MIN_NETWORKS);
    expect(isRare(asPeople, NEXT_CHROME)).toBe(false);
    expect(isRare(otherwise, NEXT_CHROME)).toBe(true);
    expect(isRare(otherwise, ON_LINUX)).toBe(true);
    teach(MIN_NETWORKS, otherwise, 100, NEXT_CHROME);
    expect(isRare(otherwise, NEXT_CHROME)).toBe(false);
    // The table of the engine did not learn from these visitors.
    expect(isRare(otherwise, ON_LINUX)).toBe(true);
  });

  test('an attack: a crowd of any size that comes after people stays rare', () => {
    const { teach, isRare } = taught(40);
    teach(1_000, otherwise, 1_000);
    expect(isRare(otherwise)).toBe(true);
    expect(isRare(asPeople)).toBe(false);
  });

  test('a known limit: a crowd that comes before the people of a rare browser makes people rare', () => {
    const { isRare, teach } = taught(NETWORKS, otherwise);
    expect(isRare(asPeople)).toBe(true);
    // People stay rare until the questions change, at most six hours later.
    teach(200, asPeople, 1_000);
    expect(isRare(asPeople)).toBe(true);
    const { learned } = taught(NETWORKS, otherwise);
    const later = upload(asPeople, CHROME, NOW_MS + 6 * HOUR_MS);
    expect(learned.judge(later.ticket, later.evidence).found).toEqual([]);
  });

  test('a known limit: a fifth of the networks with different answers prevents findings until more people come', () => {
    const { teach, isRare } = taught(6, random);
    teach(12, asPeople, 100);
    expect(isRare(random)).toBe(false);
    teach(30, asPeople, 200);
    expect(isRare(random)).toBe(true);
  });

  test('the memory is bounded: ten thousand claimed versions make Guard forget versions, but no engine', () => {
    const { learned, isRare } = taught(MIN_NETWORKS);
    for (let version = 1; version < 10_000; version++) {
      const claimed = CHROME.replace('Chrome/156', `Chrome/${version}9999`);
      const { ticket, evidence } = upload(random, claimed);
      learned.teach(ticket, evidence, '192.0.2.1');
    }
    expect(isRare(asPeople)).toBe(false);
    expect(isRare(random)).toBe(true);
  });
});

describe('17.3 questions that are learned: answers of no engine', () => {
  const asGecko: Answers = (question) => hashOf(`gecko ${question}`);
  const asWebkit: Answers = (question) => hashOf(`webkit ${question}`);
  const found = (learned: ReturnType<typeof taught>['learned'], how: Answers, claimed = CHROME) => {
    const { ticket, evidence } = upload(how, claimed);
    return learned.judge(ticket, evidence).found;
  };
  function withThreeEngines() {
    const { learned, teach } = taught(MIN_NETWORKS);
    teach(MIN_NETWORKS, asGecko, 100, FIREFOX);
    teach(MIN_NETWORKS, asWebkit, 200, SAFARI);
    return learned;
  }

  test('answers_of_no_engine: a program that claims a common browser and invents its answers', () => {
    const learned = withThreeEngines();
    expect(found(learned, random)).toEqual(['answers_of_no_engine']);
    expect(found(learned, random, FIREFOX)).toEqual(['answers_of_no_engine']);
    expect(found(learned, asPeople)).toEqual([]);
  });

  test('a person whose extension names another engine has a weak finding', () => {
    const learned = withThreeEngines();
    expect(found(learned, asGecko)).toEqual(['answers_rare']);
    expect(found(learned, asWebkit, FIREFOX)).toEqual(['answers_rare']);
  });

  test('a person whose engine has no other visitor yet has a weak finding', () => {
    const { learned, teach } = taught(MIN_NETWORKS);
    teach(MIN_NETWORKS, asWebkit, 200, SAFARI);
    expect(found(learned, asGecko)).toEqual(['answers_rare']);
  });

  test('an extension that changes measurements does not change the other answers of the engine', () => {
    const learned = withThreeEngines();
    const moved: Answers = (question) =>
      question.startsWith('c') || question.startsWith('p') ? asPeople(question) : random(question);
    for (let visit = 0; visit < 20; visit++) {
      expect(found(learned, moved)).not.toContain('answers_of_no_engine');
    }
  });

  test('a program that claims a rare version is compared with its engine', () => {
    expect(found(withThreeEngines(), random, NEXT_CHROME)).toEqual(['answers_of_no_engine']);
  });

  test('an attack: one network that passes early teaches its invented answers', () => {
    const { learned, teach } = taught(0);
    teach(1, otherwise);
    teach(30, asPeople, 10);
    teach(MIN_NETWORKS, asGecko, 100, FIREFOX);
    teach(MIN_NETWORKS, asWebkit, 200, SAFARI);
    expect(found(learned, otherwise)).toEqual(['answers_rare']);
  });

  test('a known limit: a crowd that comes first with each engine makes the answers of people wrong', () => {
    const { learned, teach } = taught(MIN_NETWORKS, otherwise);
    teach(MIN_NETWORKS, otherwise, 100, FIREFOX);
    teach(MIN_NETWORKS, otherwise, 200, SAFARI);
    expect(found(learned, asPeople)).toEqual(['answers_of_no_engine']);
  });

  test('a known limit: a program can get its answers from a browser of the claimed version', () => {
    expect(found(withThreeEngines(), asPeople)).toEqual([]);
  });
});

describe('17.3 questions that are learned: an answer is required', () => {
  const learned = createLearnedAnswers(SECRETS);
  const isLacking = (answer: Answers) => {
    const { ticket, evidence } = upload(answer);
    return learned.judge(ticket, evidence).isLacking;
  };

  test('an extension may break two answers, but not three', () => {
    let left = 2;
    expect(isLacking((question) => (left-- > 0 ? null : asPeople(question)))).toBe(false);
    left = 3;
    expect(isLacking((question) => (left-- > 0 ? null : asPeople(question)))).toBe(true);
  });

  test('answers to other questions count as missing', () => {
    const { evidence } = upload(asPeople);
    const other = upload(asPeople, CHROME, NOW_MS + 24 * HOUR_MS);
    expect(learned.judge(other.ticket, evidence).isLacking).toBe(true);
  });

  test('a page of a site with the browser script gets no questions', () => {
    const { ticket, evidence } = upload(asPeople);
    const answers = { unread: 'absent' } as const;
    const absent = { ...evidence, readings: { ...readings, answers } };
    const ofScript = { ...ticket, origin: 'https://shop.example' };
    expect(learned.judge(ofScript, absent)).toEqual({ isLacking: false, found: [] });
    expect(learned.judge(ticket, absent).isLacking).toBe(true);
  });
});

describe('17.3 questions that are learned: at the collector', () => {
  /** One collector and its visitors. Each visit has its own ticket. */
  function collector() {
    const { collect, outcomes } = aChallengedVisitor();
    return async (ip: string, change: (hash: number | null) => number | null = (hash) => hash) => {
      const { request, upload: sent } = aChallengedVisitor();
      const evidence = answering(sent.evidence, sent.ticket);
      const { answers } = evidence.readings;
      if (!('value' in answers)) throw new Error('the visitor answers');
      const value = { ...answers.value, hashes: answers.value.hashes.map(change) };
      const changed = { ...evidence, readings: { ...evidence.readings, answers: { value } } };
      const body = JSON.stringify({ ...sent, evidence: changed });
      await collect({ ...request, ip, body });
      return outcomes.at(-1);
    };
  }

  test('a visitor without answers gets no session', async () => {
    const visit = collector();
    const incomplete = { kind: 'failed', reasons: ['challenge_incomplete'] };
    expect(await visit('198.51.100.7', () => null)).toMatchObject(incomplete);
  });

  test('answers_rare: a visitor with other answers than earlier people passes, and the finding is recorded', async () => {
    const visit = collector();
    const wrong = (hash: number | null) => ((hash ?? 0) ^ 1) >>> 0;
    expect(await visit('203.0.113.1', wrong)).toMatchObject({ kind: 'verified', noted: [] });
    for (let network = 0; network < 60; network++) await visit(`10.0.${network}.1`);
    expect(await visit('10.1.0.1')).toMatchObject({ kind: 'verified', noted: [] });
    const noted = { kind: 'verified', reasons: [], noted: ['answers_rare'] };
    expect(await visit('10.2.0.1', wrong)).toMatchObject(noted);
  });
});
