// A process that reads. `node:sqlite` can't be interrupted, not even by ending a thread, so a read that may be long runs
// here, where it can be killed.

import { isTooBig, longestAnswer, openReading, Statements } from './connection.ts'
import type { LongRead, LongReadResult } from './reader.ts'

const statements = new Statements(openReading(process.argv[2]!, longestAnswer))

process.on('message', ({ sql, parameters }: LongRead) => {
  process.send!(read(sql, parameters))
})
process.on('disconnect', () => process.exit(0))
// A terminal's Ctrl-C reaches the whole group of processes; the server decides when this one ends.
process.on('SIGINT', () => {})

function read(sql: string, parameters: LongRead['parameters']): LongReadResult {
  try {
    const row = statements.get(sql).get(...parameters) as unknown as unknown[] | undefined
    return { row: row ?? null }
  } catch (error) {
    return { error: (error as Error).message, tooBig: isTooBig(error) }
  }
}
