// A library service behind a connection that can be cut, open until the tests of a file have ended.

import { after } from 'node:test'
import { CuttableConnection } from './cuttable-connection.ts'
import { Library } from './open-library.ts'

export async function openCuttableLibrary(): Promise<{ library: Library; connection: CuttableConnection }> {
  const library = await Library.open()
  const connection = await CuttableConnection.open(library.service.address)
  after(async () => {
    await connection.close()
    await library.close()
  })
  return { library, connection }
}
