// Opens a wire connection. The driver does the startup (user, password, session parameters) over a socket of this file. When
// the server is ready, the wire connection takes the socket over.

import type { Socket } from 'node:net'
import { connectThrough, type DriverOptions, driverOptions } from '../connect/connect.ts'
import { dial } from './dial.ts'
import { WireConnection, type WireConnectionOwner } from './wire-connection.ts'
import { DatabaseError, unfinished } from './wire-messages.ts'

/** The primary: a connection that leads to a standby is refused, because it may lack what was just written. A proxy that has
 *  just started, for example, leads to any server until it has checked them. */
export type ServerRole = 'primary' | 'any'

export interface WireTarget {
  address: string
  /** The timeout of a statement in seconds. */
  time: number
  role: ServerRole
  /** The memory of the server for its prepared statements. */
  statementBytes?: number | undefined
}

/** Connects to the first server of the address that accepts. Rejects with the error of the driver or of the last server. */
export async function openWireConnection(target: WireTarget, owner: WireConnectionOwner): Promise<WireConnection> {
  let failure: unknown
  for (const settings of driverOptions(target.address, target.time)) {
    try {
      return await openTo(settings, target, owner)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function openTo(
  settings: DriverOptions,
  { address, time, role, statementBytes }: WireTarget,
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
    const [answer] = await session.unsafe<{ is_standby: boolean }[]>(selectIsStandby).simple()
    if (role === 'primary' && answer!.is_standby) throw new DatabaseError('The server is a standby.', '25006')
    const ready = socket! as Socket
    ready.removeAllListeners()
    return new WireConnection(ready, owner, rest, statementBytes)
  } catch (error) {
    ;(socket as Socket | null)?.destroy()
    throw error
  } finally {
    clearTimeout(over)
  }
}

const selectIsStandby = 'SELECT pg_is_in_recovery() AS is_standby'

function tooSlow(): DatabaseError {
  return new DatabaseError('The server did not answer.', 'CONNECT_TIMEOUT')
}
