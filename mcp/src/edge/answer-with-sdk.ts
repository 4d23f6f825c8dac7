import type { Ask } from './bridge.ts';
import type { McpService } from './sdk-server.ts';

/**
 * Returns a function that asks the server of sdk-server.ts. The first call creates the server, because the SDK needs 4
 * MB.
 */
export function answerWithSdk<Caller>(service: McpService<Caller>): Ask<Caller> {
  let server: Promise<Ask<Caller>> | undefined;
  return async (...question) => {
    server ??= import('./sdk-server.ts').then(({ createSdkServer }) => createSdkServer(service));
    return (await server)(...question);
  };
}
