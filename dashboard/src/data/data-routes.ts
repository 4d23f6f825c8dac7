import type { Replay } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { endWait, goneSignal } from '@guard/config/net/waiting-caller';
import { knowledgeOf } from '@guard/config/plain-words/knowledge';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { FindViewer, Viewer } from '../sign-in/viewer.ts';
import type { Health } from '../../page-contract/health.ts';
import type { Me } from '../../page-contract/me.ts';

const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string }; // Guard's own package.json has a version

/** The limit is enough for the longest User-Agent of a rule, with six bytes for each character. */
const MAX_REPLAY_BODY = 16_384;

/** The Replay port parses both values, because it has the messages for invalid values. */
const ReplayBody = z.strictObject({ change: z.unknown(), hours: z.unknown().optional() });

/** The data of the page besides SQL: the viewer, facts about the settings, the state of Guard, and replays. */
export function dataRoutes(options: {
  readonly settings: Settings;
  readonly revision: string;
  readonly docsUrl: () => string | undefined;
  readonly viewerOf: FindViewer;
  readonly health: () => Promise<Health>;
  readonly replay: Replay;
}): FastifyPluginAsync {
  const { settings, viewerOf, health, replay } = options;
  const hasOneOrganisation = settings.organisations.length === 1;

  function meOf(viewer: Viewer): Me | undefined {
    const { organisation, key, via, expiresAt } = viewer;
    const knowledge = knowledgeOf(settings, organisation);
    if (knowledge === undefined) return undefined;
    return {
      ...{ organisation, key: key ?? null, via },
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      revision: options.revision,
      version,
      docs: options.docsUrl() ?? null,
      ...knowledge,
    };
  }

  return (app) => {
    app.get('/api/me', (request, reply) => {
      const viewer = viewerOf(request);
      const oidc = settings.dashboard.oidc !== undefined;
      // 200 even without a sign-in, because a browser logs any other status to its console.
      return reply.send({ me: (viewer && meOf(viewer)) ?? null, oidc });
    });

    app.get('/api/health', async (request, reply) => {
      if (viewerOf(request) === undefined) return reply.code(401).send();
      const fullHealth = await health();
      // With several organisations these facts are left out: the counters are sums over all organisations, and a
      // certificate does not show which organisation has its hosts.
      return reply.send(
        hasOneOrganisation ? fullHealth : { ...fullHealth, metrics: {}, certificates: [] },
      );
    });

    // The check runs before the body is read, because a large body from a stranger would delay visitors.
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (viewerOf(request) === undefined) await reply.code(401).send();
    };

    app.post('/api/replay', { onRequest, bodyLimit: MAX_REPLAY_BODY }, async (request, reply) => {
      const viewer = viewerOf(request);
      if (viewer === undefined) return reply.code(401).send();
      const body = ReplayBody.safeParse(request.body);
      if (!body.success) return sendText(reply, 400, 'Expected a change, and hours.');
      const { organisation, authorization } = viewer;
      const caller = { organisation, authorization, signal: goneSignal(reply.raw) };
      const outcome = await replay({ ...body.data, ...caller });
      endWait(reply.raw);
      switch (outcome.kind) {
        case 'replayed':
          return reply.send(outcome.answer);
        case 'refused':
          return sendText(reply, 400, outcome.message);
        case 'busy':
          return sendText(reply, 429, 'Another replay runs. Try again when it has ended.');
        case 'unavailable':
          return sendText(reply, 502, outcome.message);
      }
    });
    return Promise.resolve();
  };
}

function sendText(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
}
