// What own code is given beside its rows and arguments.
//
// 1. `read` and `write` go as the viewer does, through all rules. `system` goes through none, and each use of it is logged.
// 2. Both go through the corridor: limits, checks and the change log hold for own code as for everyone.

import { type Log, system, type Viewer } from '#base'
import type { Engine } from '#engine'
import type { Model, Resource } from '#model'
import { CodeRows, type RowReader, type RowWriter } from './rows.ts'

export interface Context<Read = Readonly<Record<string, RowReader>>, Write = Readonly<Record<string, RowWriter>>> {
  /** Who asks. */
  viewer: ContextViewer
  /** By the names of the resources: `read.Post.get(id)`. */
  read: Read
  write: Write
  /** The same with no rules, for what the service itself must know or do. */
  system: { read: Read; write: Write }
  /** Lines in the service's own log. */
  log: Log
  /** Aborted when the time of the call is over: nobody waits for it any more. */
  signal: AbortSignal
}

interface ContextViewer {
  /** The id of the account; null for someone unknown, an operator or a machine's key. */
  readonly id: string | null
  readonly roles: readonly string[]
  /** Whether a valid token or key came along. */
  readonly authenticated: boolean
}

/** Makes the contexts of a service's calls. */
export class Contexts {
  readonly #log: Log
  readonly #rows: ReadonlyMap<string, CodeRows>

  constructor(model: Model, engine: () => Engine, log: Log) {
    this.#log = log
    this.#rows = new Map(model.resources.map((of) => [of.name, new CodeRows(engine, of)]))
  }

  /** A row with no rules, for hooks: it is not asked for by the code itself. */
  row(of: Resource, id: string, inside: Engine): Promise<object | null> {
    return this.#rows.get(of.name)!.reader(system, inside).get(id)
  }

  /** `what` is the code that is called: `Post.excerpt`. */
  /** `inside` is the engine of an open transaction, which all that is asked is then part of. */
  make(what: string, viewer: Viewer, signal: AbortSignal, inside?: Engine): Context {
    const { account, roles, authenticated } = viewer
    const rows = this.#rows
    const log = this.#log
    const note = (does: string, resource: string) =>
      log.info({ 'code.function.name': what, operation: does, resource }, 'custom code used system access')
    // Made when they are asked for: most code asks for little.
    return {
      viewer: { id: account, roles, authenticated },
      get read() {
        return readersOf(rows, viewer, inside)
      },
      get write() {
        return writersOf(rows, viewer, inside)
      },
      get system() {
        return { read: readersOf(rows, system, inside, note), write: writersOf(rows, system, inside, note) }
      },
      log,
      signal,
    }
  }
}

type LogSystemAccess = (does: 'read' | 'write', resource: string) => void

function readersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  inside: Engine | undefined,
  note?: LogSystemAccess,
): Readonly<Record<string, RowReader>> {
  return byName(rows, (of) => of.reader(viewer, inside), note && ((name) => note('read', name)))
}

function writersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  inside: Engine | undefined,
  note?: LogSystemAccess,
): Readonly<Record<string, RowWriter>> {
  return byName(rows, (of) => of.writer(viewer, inside), note && ((name) => note('write', name)))
}

function byName<T>(
  rows: ReadonlyMap<string, CodeRows>,
  make: (rows: CodeRows) => T,
  note?: (name: string) => void,
): Readonly<Record<string, T>> {
  const all = {}
  for (const [name, of] of rows) {
    const get = () => {
      note?.(name)
      return make(of)
    }
    Object.defineProperty(all, name, { enumerable: true, get })
  }
  return all
}
