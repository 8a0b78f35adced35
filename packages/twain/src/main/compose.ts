// Wires the rooms: model → store → engine → doors. The only place that knows them all.

import { type Door, type Log, stackOf } from '#base'
import { createEngine } from '#engine'
import { createGraphql } from '#graphql'
import type { Limits } from '#plan'
import { createRest } from '#rest'
import { openStore } from '#store'
import type { Schema } from './read-schema.ts'

export interface Surroundings {
  /** The folder of the data. */
  data: string
  limits: Limits
  log: Log
  /** Whether a change of the contract that loses no data may pass, as in `twain dev`. */
  forgetting?: boolean
}

/** One contract, being served. */
export interface House {
  rest: Door
  graphql: Door
  /** False when the store can't write any more. */
  ready(): boolean
  close(): Promise<void>
}

/** Throws StartRefused when the store can't take the contract; then nothing is open. */
export async function compose({ model, sdl }: Schema, surroundings: Surroundings): Promise<House> {
  const { limits, log } = surroundings
  const store = await openStore({ ...surroundings, model, sdl })
  const engine = createEngine({ model, store, limits })
  // A bug in one field of a document is told in its place there; what the caller does not see, the log has.
  const onError = (error: unknown, id: string) => log.error({ id, error: stackOf(error) }, 'a request failed')
  return {
    rest: createRest(engine),
    graphql: createGraphql(engine, { onError }),
    ready: () => store.ready(),
    close: () => store.close(),
  }
}
