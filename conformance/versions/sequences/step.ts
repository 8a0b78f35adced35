// The steps of a sequence, as plain data: a shorter sequence of the same steps is a sequence too. Rows and files have slots, so that a
// step means the same when others are left out: `Alpha a` is the row that is in this slot at the time.

import type { Plain } from './chain.ts'

export type Api = 'rest' | 'graphql'

/** Values of fields: plain ones, or slots (a row, several rows, a file, several files). A file that is not there is uploaded first. */
export type SlotValues = Record<string, Plain | readonly string[]>

export type Step =
  /** Starts the node with this version, again if it runs; `isSwap`: without a new process, as `twain dev` does. */
  | { do: 'start'; node: number; version: number; isSwap: boolean }
  | { do: 'stop'; node: number }
  /** Creates the row of the slot, or changes it if there is one. `all` replaces it. */
  | { do: 'write'; node: number; api: Api; type: string; slot: string; all: boolean; values: SlotValues }
  | { do: 'link'; node: number; type: string; slot: string; field: string; other: string; isAdded: boolean }
  | { do: 'delete'; node: number; api: Api; type: string; slot: string }
  /** Creates a row under the id of the one that was deleted last. */
  | { do: 'retake'; node: number; api: Api; type: string; values: SlotValues }
  | { do: 'read'; node: number; api: Api; type: string }
  | { do: 'search'; node: number; api: Api; type: string; word: string }
  /** Reads the change log from its beginning. */
  | { do: 'events'; node: number }
  /** Reads the changes of rows that have this value. */
  | { do: 'filter'; node: number; type: string; field: string; value: Plain }
  /** Follows the changes from now on, by GraphQL or by the stream of REST. */
  | { do: 'follow'; node: number; api: Api; type: string }
  /** Lets a day and an hour pass, and every node clean up. */
  | { do: 'wait' }
  /** Copies everything to another store, and compares the copy. */
  | { do: 'copy'; to: 'sqlite' | 'postgres' }
  | { do: 'backup' }

export function stepText(step: Step): string {
  const { do: what, ...rest } = step
  return `${what} ${JSON.stringify(rest).slice(1, -1).replaceAll('"', '')}`.trim()
}
