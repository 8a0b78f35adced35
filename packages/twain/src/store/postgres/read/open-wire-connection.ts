// A line is opened by the driver, which knows how to greet a server: names, passwords, settings of the session. It does so over a
// socket of ours, and when the server is ready that socket is ours alone: the driver hears no more of it.

import type { Socket } from 'node:net'
import { connectThrough, type DriverOptions, driverOptions } from '../connect/connect.ts'
import { dial } from './dial.ts'
import { WireConnection, type WireConnectionOwner } from './wire-connection.ts'
import { DatabaseError, unfinished } from './wire-messages.ts'

/** To the first server of the address that takes us. `time` is the limit of a statement, in seconds. Rejects with what the driver or
 *  the last server says. */
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
    // It would ask for another, for ever, where a server closes early or is not what the address wants (`target_session_attrs`).
    if (socket !== null)
      throw new DatabaseError('The server closed, or is not what the address asks for.', 'CONNECT_OTHER')
    over = setTimeout(() => socket?.destroy(tooSlow()), settings.connect_timeout * 1000)
    const dialled = await dial(settings, made)
    // When it is ours the server may have begun to say something more: a notice, or that it goes.
    dialled.on('data', (bytes) => {
      rest = unfinished(Buffer.concat([rest, bytes]))
    })
    return dialled
  })
  try {
    await session.unsafe('SELECT 1').simple()
    const ours = socket! as Socket
    ours.removeAllListeners()
    return new WireConnection(ours, owner, rest)
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
