// A client of the driver without a network: the test is the server, and chooses which bytes arrive together.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { startupReply } from '../read/fake-server.fixture.ts'
import { CheckedConnection } from './checked-connection.ts'
import { driver } from './driver.ts'
import type { CheckedClient } from './open-client.ts'

/** The socket of a connection. */
export class FakeWire extends Duplex {
  written: Buffer[] = []
  override _read(): void {}
  override _write(bytes: Buffer, _: unknown, done: () => void): void {
    this.written.push(bytes)
    done()
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  connect(): void {
    queueMicrotask(() => this.emit('connect'))
  }
}

/** A client that is connected. */
export async function connectWire(): Promise<{ wire: FakeWire; client: CheckedClient }> {
  const wire = new FakeWire()
  const connection = new CheckedConnection({ ssl: false, stream: wire as unknown as Socket })
  const options = { user: 'u', database: 'd', ssl: false, enableChannelBinding: false, connection } as const
  const client = new driver.Client(options) as CheckedClient
  const connected = client.connect()
  wire.push(startupReply)
  await connected
  wire.written = []
  return { wire, client }
}
