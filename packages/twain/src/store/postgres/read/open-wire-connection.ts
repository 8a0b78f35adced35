// Opens a wire connection. The driver does the startup (user, password, session parameters) over a socket of this file. When
// the server is ready, the wire connection takes the socket over.

import type { Socket } from 'node:net'
import { connectThrough, type DriverOptions, driverOptions } from '../connect/connect.ts'
import { dial } from './dial.ts'
import { WireConnection, type WireConnectionOwner } from './wire-connection.ts'
import { DatabaseError, unfinished } from './wire-messages.ts'

/** Connects to the first server of the address that accepts. `time` is the timeout of a statement in seconds. Rejects
 *  with the error of the driver or of the last server. */
export async function openWireConnection(
  address: string,
  time: number,
  owner: WireConnectionOwner,
): Promise<WireConnection> {
  let failure: unknown
  for (const settings of driverOptions(address, time)) {
    try {
      return await openTo(settings, address, time, owner)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function openTo(
  settings: DriverOptions,
  address: string,
  time: number,
  owner: WireConnectionOwner,
): Promise<WireConnection> {
  let socket: Socket | null = null
  let rest: Buffer = Buffer.alloc(0)
  let over: NodeJS.Timeout | undefined
  const made = (one: Socket) => {
    socket = one
  }
  const session = connectThrough(address, time, settings, async () => {
    // The driver would retry for ever if a server closes early or does not match `target_session_attrs`.
    if (socket !== null)
      throw new DatabaseError('The server closed, or is not what the address asks for.', 'CONNECT_OTHER')
    over = setTimeout(() => socket?.destroy(tooSlow()), settings.connect_timeout * 1000)
    const dialled = await dial(settings, made)
    // The server may already have sent the beginning of another message: a notice, or a shutdown.
    dialled.on('data', (bytes) => {
      rest = unfinished(Buffer.concat([rest, bytes]))
    })
    return dialled
  })
  try {
    await session.unsafe('SELECT 1').simple()
    const ready = socket! as Socket
    ready.removeAllListeners()
    return new WireConnection(ready, owner, rest)
  } catch (error) {
    ;(socket as Socket | null)?.destroy()
    throw error
  } finally {
    clearTimeout(over)
  }
}

function tooSlow(): DatabaseError {
  return new DatabaseError('The server did not answer.', 'CONNECT_TIMEOUT')
}
