// In an agent's room: joins a loopback port to the socket of the forwarder, the one way out. Arguments: port, socket.
// It runs as a user of its own, so that the agent cannot end it; it reads nothing of what passes.
import net from 'node:net';

const [port, path] = process.argv.slice(2);
const CONNECTIONS_MAX = 64;

const server = net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path, allowHalfOpen: true });
  const end = () => {
    inside.destroy();
    outside.destroy();
  };
  inside.on('error', end);
  outside.on('error', end);
  inside.pipe(outside).pipe(inside);
});
server.maxConnections = CONNECTIONS_MAX;
server.listen(Number(port), '127.0.0.1');
