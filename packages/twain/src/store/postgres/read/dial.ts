// Opens a socket to a server, encrypted if the address requires it. The values of `sslmode` mean the same as for the driver.

import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { DriverOptions } from '../connect/connect.ts'
import { DatabaseError } from './wire-messages.ts'

const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** These modes encrypt but do not verify the server. */
const trusting: readonly unknown[] = ['require', 'allow', 'prefer']

/** `made` gets each socket at once, so that the caller can destroy it. Rejects when a socket closes. */
export async function dial(settings: DriverOptions, made: (socket: Socket) => void): Promise<Socket> {
  const { path, ssl, host, port } = settings
  const socket = path ? connect(path) : connect({ host: host[0]!, port: port[0]!, noDelay: true })
  made(socket)
  await first(socket, 'connect')
  return ssl ? encrypt(socket, settings, made) : socket
}

async function encrypt(socket: Socket, settings: DriverOptions, made: (socket: Socket) => void): Promise<Socket> {
  const { ssl, host } = settings
  const isDirect = (settings as { sslnegotiation?: unknown }).sslnegotiation === 'direct'
  if (!isDirect && !(await isOffered(socket))) {
    if (ssl === 'prefer') return socket
    throw new DatabaseError('The server takes no encrypted connections.', 'CONNECT_TLS')
  }
  const encrypted = secure({
    socket,
    ...(isIP(host[0]!) === 0 ? { servername: host[0]! } : {}),
    ...(isDirect ? { ALPNProtocols: ['postgresql'] } : {}),
    ...(trusting.includes(ssl) ? { rejectUnauthorized: false } : {}),
    ...(typeof ssl === 'object' ? ssl : {}),
  })
  made(encrypted)
  await first(encrypted, 'secureConnect')
  return encrypted
}

async function isOffered(socket: Socket): Promise<boolean> {
  socket.write(tlsRequest)
  const [answer] = (await first(socket, 'data')) as [Buffer]
  const isYes = answer[0] === 0x53
  // Further bytes come from an attacker in between, to be taken for encrypted data.
  if (answer.length !== 1 || (!isYes && answer[0] !== 0x4e))
    throw new DatabaseError('The server did not answer whether it accepts encrypted connections.', 'CONNECT_TLS')
  return isYes
}

/** A server may close without an error; then the awaited event never comes. */
function first(socket: Socket, event: string): Promise<unknown[]> {
  return Promise.race([once(socket, event), once(socket, 'close').then(connectionClosed)])
}

function connectionClosed(): never {
  throw new DatabaseError('The server closed the connection before it was ready.', 'CONNECT_CLOSED')
}
