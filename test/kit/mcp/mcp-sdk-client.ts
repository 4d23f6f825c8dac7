import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** Returns the official client, connected as in an assistant. `url` ends with /mcp. */
export async function connectSdkClient(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'guard-tests', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  });
  await client.connect(transport);
  return client;
}
