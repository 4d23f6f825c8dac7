import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { CatalogueCrawler, CrawlerStanding } from '@guard/config/catalogue/crawlers';
import { describe, expect, test } from 'vitest';
import { createClaimProver, type ClaimEvidence } from './prove-claim.ts';
import type { SignatureProof } from './web-bot-auth.ts';

const crawlers = CrawlerCatalogue.load();

function claimed(userAgent: string): CatalogueCrawler {
  const crawler = crawlers.identify(userAgent);
  if (crawler === undefined) throw new Error(`no crawler is identified: ${userAgent}`);
  return crawler;
}

const gptbot = claimed('GPTBot');
const baidu = claimed('Baiduspider');
const OUTSIDE = '203.0.113.9';

function standing(
  crawler: CatalogueCrawler,
  proofs: { signature?: SignatureProof; names?: CrawlerStanding; ip?: string } = {},
): CrawlerStanding {
  const { signature = { kind: 'absent' }, names = 'unverifiable', ip = OUTSIDE } = proofs;
  const evidence: ClaimEvidence = { ip, signed: signature };
  return createClaimProver({
    crawlers,
    reverseDns: { confirm: () => names, settled: () => Promise.resolve() },
  })(crawler, evidence);
}

function signedBy(operator: string | undefined): SignatureProof {
  const key = { agent: 'a', operator, keyId: 'k', x: '', notBefore: 0, notAfter: Infinity };
  return { kind: 'valid', key };
}

const byOpenAi = signedBy('OpenAI');

describe('a claim is verified (contract 1.3)', () => {
  test('from within the published ranges, whatever the signature says', () => {
    const signature: SignatureProof = { kind: 'invalid', fault: 'signature' };
    expect(standing(claimed('Googlebot'), { ip: '66.249.66.1', signature })).toBe('verified');
  });

  test("by the operator's signature, from wherever it comes", () => {
    expect(standing(gptbot, { signature: byOpenAi })).toBe('verified');
  });

  test("by the operator's host names", () => {
    expect(standing(baidu, { names: 'verified' })).toBe('verified');
  });
});

describe('a signature is no accusation', () => {
  const bad: SignatureProof = { kind: 'invalid', fault: 'signature' };

  test('when it is bad: the other proofs decide', () => {
    expect(standing(baidu, { signature: bad })).toBe('unverifiable');
    expect(standing(baidu, { signature: bad, names: 'verified' })).toBe('verified');
    expect(standing(gptbot, { signature: bad })).toBe('impersonator');
  });

  test('when it is of another operator, whose crawler this is not, or of an agent without one', () => {
    expect(standing(baidu, { signature: byOpenAi })).toBe('unverifiable');
    expect(standing(baidu, { signature: signedBy(undefined) })).toBe('unverifiable');
  });
});

test('from outside a complete list, without a signature, it is an impersonation', () => {
  expect(standing(gptbot, { names: 'verified' })).toBe('impersonator');
});

test('without further proofs the ranges decide alone', () => {
  const proveClaim = createClaimProver({ crawlers, reverseDns: undefined });
  const evidence = { ip: OUTSIDE, signed: undefined };
  expect(proveClaim(baidu, evidence)).toBe('unverifiable');
  expect(proveClaim(gptbot, evidence)).toBe('impersonator');
});
