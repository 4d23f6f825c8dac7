import type { Ask } from './bridge.ts';
import type { McpService } from './sdk-server.ts';

/**
 * How to ask a server (sdk-server.ts) that is made with the first question. The SDK takes 4 MB, which a Guard that no
 * assistant asks need not hold.
 */
export function answerWithSdk<Caller>(service: McpService<Caller>): Ask<Caller> {
  let made: Promise<Ask<Caller>> | undefined;
  return async (...question) => {
    const ask = await (made ??= make(service));
    return ask(...question);
  };
}

async function make<Caller>(service: McpService<Caller>): Promise<Ask<Caller>> {
  const { createSdkServer } = await import('./sdk-server.ts');
  return createSdkServer(service);
}
