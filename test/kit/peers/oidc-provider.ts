import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/**
 * Starts a real OpenID provider on this machine. Its user signs in by a form, and gets the groups that `groups` has at
 * that time.
 */
export async function startOidcProvider(options: {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly callback: string;
  readonly groups: readonly string[];
}): Promise<{ readonly issuer: string; close(): Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: options.clientId,
        client_secret: options.clientSecret,
        redirect_uris: [options.callback],
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub', 'groups'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, groups: [...options.groups] }),
    }),
    pkce: { required: () => true },
  });
  server.on('request', (request, response) => void provider.callback()(request, response));
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
