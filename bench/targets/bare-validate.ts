/**
 * A server with the minimum cost of POST /validate: fastify parses the body as Guard does and sends a constant answer.
 * Prints the URL of this server.
 */
import fastify from 'fastify';

const answer = process.argv[2] ?? '';
const app = fastify();
app.post('/validate', (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(answer),
);
console.log(`${await app.listen({ host: '127.0.0.1', port: 0 })}/validate`);
