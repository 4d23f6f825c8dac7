import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CHROME_UA, HOME_IP } from '../test/kit/visitors/visitors.ts';
import { type Case, lowerCased } from './case.ts';

/** The format of corpus/http-clients.json, which `node eval/measure/run.ts` writes. */
const Corpus = z.strictObject({
  measured: z.iso.date(),
  clients: z.array(
    z.strictObject({
      client: z.string(),
      version: z.string(),
      protocol: z.enum(['HTTP/1.0', 'HTTP/1.1', 'HTTP/2']),
      method: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

export interface HttpClientCases {
  /** The day of the measurement, as YYYY-MM-DD. */
  readonly measured: string;
  readonly asTheyCome: readonly Case[];
  /** The same requests with Chrome's User-Agent, and no other change. */
  readonly withChromeAgent: readonly Case[];
}

/** Every measured client over https and over plain http. */
export function httpClients(): HttpClientCases {
  const text = readFileSync(join(import.meta.dirname, 'corpus', 'http-clients.json'), 'utf8');
  const { measured, clients } = Corpus.parse(JSON.parse(text));
  const cases = clients.flatMap(({ client, method, headers }) =>
    ['https', 'http'].map((scheme) => ({
      about: `${client}, ${scheme}`,
      unit: client,
      request: {
        url: `${scheme}://shop.example/`,
        ip: HOME_IP,
        method,
        headers: lowerCased(headers),
      },
    })),
  );
  return { measured, asTheyCome: cases, withChromeAgent: cases.map(disguised) };
}

/**
 * Chrome's User-Agent replaces the client's User-Agent in its position. When the client sends none, the field comes
 * last.
 */
function disguised({ about, request, unit }: Case): Case {
  return {
    about: `${about}, as Chrome`,
    unit,
    request: { ...request, headers: { ...request.headers, 'user-agent': CHROME_UA } },
  };
}
