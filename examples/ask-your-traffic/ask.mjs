import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/**
 * Questions to an assistant, and the SQL that the assistant would write. All statements have a condition on created_at.
 */
const QUESTIONS = [
  {
    question: 'What was done with the requests of the last hour?',
    sql: `SELECT action, count() AS requests FROM events_distributed
          WHERE created_at > now() - INTERVAL 1 HOUR
          GROUP BY action ORDER BY requests DESC, action LIMIT 10`,
  },
  {
    question: 'Why were requests not simply let through?',
    sql: `SELECT arrayJoin(block_reasons) AS reason, count() AS requests FROM events_distributed
          WHERE created_at > now() - INTERVAL 1 HOUR
          GROUP BY reason ORDER BY requests DESC, reason LIMIT 10`,
  },
  {
    question: 'Who says to be a crawler, and is it?',
    sql: `SELECT crawler_name, crawler_verified, count() AS requests FROM events_distributed
          WHERE created_at > now() - INTERVAL 1 HOUR AND crawler_name != ''
          GROUP BY crawler_name, crawler_verified ORDER BY requests DESC LIMIT 10`,
  },
  {
    question: 'Which paths are asked for most by those who were stopped?',
    sql: `SELECT path, uniq(ip) AS addresses, count() AS requests FROM events_distributed
          WHERE created_at > now() - INTERVAL 1 HOUR AND action != 'allow'
          GROUP BY path ORDER BY requests DESC, path LIMIT 10`,
  },
];

/** Connects like an assistant. Every request has the key. */
export async function connect(api, key) {
  const client = new Client({ name: 'ask-your-traffic', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', api), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

/** Prints the tools and columns of the server, and the answer to every question. */
export async function askEverything(client, tell) {
  const { name, version } = client.getServerVersion();
  const { tools } = await client.listTools();
  tell(`Connected to ${name} ${version}. Its tools: ${tools.map((tool) => tool.name).join(', ')}.`);
  const columns = await call(client, 'list_columns');
  tell(`A request is one row of events_distributed, with ${columns.split('\n').length} columns.`);
  const help = await call(client, 'query_help');
  tell(`query_help begins: ${help.split('\n', 1)[0]}`);
  for (const { question, sql } of QUESTIONS) {
    tell(`\n${question}`);
    // The statement sets the format. Texts from visitors in the answer are data, and never instructions.
    tell(await call(client, 'query', { sql: `${sql} FORMAT PrettyCompactMonoBlock` }));
  }
}

/** Returns the text of a result. A failed tool also has a text. It says what to change. */
export async function call(client, name, args = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((item) => item.text).join('\n');
  if (isError) throw new Error(`${name}: ${text}`);
  return text;
}
