/** `--allow-network HOST`: a tunnel to port 443 of a named host, and to no other address, name or port. */
import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { BlockList, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Addresses that are no place in the open network: this machine, its neighbours, what a cloud tells its machines. */
const INSIDE = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of [
  // Also addresses that hold one of the old kind: mapped, compatible, translated, by a relay.
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['100::', 64],
  ['fec0::', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  INSIDE.addSubnet(address, bits, 'ipv6');

/** True for an address that no tunnel may lead to. */
export function isInside(address: string, family: number): boolean {
  return INSIDE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

const TUNNELS_MAX = 16;

/** What a tunnel asks of its door. */
export interface Gatekeeper {
  /** False: the room has asked too much. */
  admit(): boolean;
  refused(url: string, status: number, message: string): void;
}

/** Answers CONNECT for the named hosts; refuses it, and every upgrade, for all else. */
export function openTunnels(server: Server, hosts: readonly string[], door: Gatekeeper): void {
  const open = new Set<Socket>();
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const refuse = (socket: Duplex, url: string, message: string): void => {
    door.refused(url, 403, message);
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  };
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => socket.destroy());
    if (door.admit()) refuse(socket, request.url ?? '', 'No other protocol is spoken here');
    else socket.destroy();
  });
  server.on('connect', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!door.admit()) {
      socket.destroy();
      return;
    }
    const url = request.url ?? '';
    const [, host = '', port = ''] = /^([a-zA-Z0-9.-]+):(\d+)$/.exec(url) ?? [];
    if (port !== '443' || !allowed.has(host.toLowerCase())) {
      refuse(socket, url, 'No tunnel leads there: --allow-network names hosts, port 443');
      return;
    }
    if (open.size >= TUNNELS_MAX) {
      refuse(socket, url, `At most ${String(TUNNELS_MAX)} tunnels are open at once`);
      return;
    }
    // The address that was checked is the one that is used: the name is not asked a second time.
    lookup(host)
      .then(({ address, family }) => {
        if (isInside(address, family)) refuse(socket, url, `${address} is no place in the open network`);
        else join(socket, head, address, open);
      })
      .catch(() => refuse(socket, url, 'The name has no address'));
  });
}

function join(socket: Duplex, head: Buffer, host: string, open: Set<Socket>): void {
  // The door was closed, or the room left, while the name was asked.
  if (socket.destroyed) return;
  const out = connect({ host, port: 443 }, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    out.write(head);
    out.pipe(socket).pipe(out);
  });
  open.add(out);
  out.on('error', () => socket.destroy());
  out.on('close', () => {
    open.delete(out);
    socket.destroy();
  });
  socket.on('close', () => out.destroy());
}
