// A library behind a line that can be cut, there until the tests of a file have ended.

import { after } from 'node:test'
import { CutLine } from './cuttable-connection.ts'
import { Library } from './open-library.ts'

export async function openBehindLine(): Promise<{ library: Library; line: CutLine }> {
  const library = await Library.open()
  const line = await CutLine.open(library.service.address)
  after(async () => {
    await line.close()
    await library.close()
  })
  return { library, line }
}
