import type { Ask } from './bridge.ts';
import type { McpService } from './sdk-server.ts';

/** Returns a function that asks the server of sdk-server.ts. The first call creates it, because the SDK takes 4 MB. */
export function answerWithSdk<Caller>(service: McpService<Caller>): Ask<Caller> {
  let server: Promise<Ask<Caller>> | undefined;
  return async (...question) => {
    const ask = await (server ??= startServer(service));
    return ask(...question);
  };
}

async function startServer<Caller>(service: McpService<Caller>): Promise<Ask<Caller>> {
  const { createSdkServer } = await import('./sdk-server.ts');
  return createSdkServer(service);
}
