// The context of custom code: the second argument of resolvers and hooks.
//
// 1. `read` and `write` have the viewer's permissions. `system` ignores the rules, and each use of it is logged.
// 2. Both run through the engine: limits, checks and the change log apply to custom code as to every request.

import type { Log } from '#base'
import { system, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Model, Resource } from '#model'
import { CodeRows, type RowReader, type RowWriter } from './rows.ts'

export interface Context<Read = Readonly<Record<string, RowReader>>, Write = Readonly<Record<string, RowWriter>>> {
  /** The viewer of the request. */
  viewer: ContextViewer
  /** By type name: `read.Post.get(id)`. */
  read: Read
  write: Write
  /** The same without rules, for what the service itself must read or write. */
  system: { read: Read; write: Write }
  /** Writes to the log of the server. */
  log: Log
  /** Aborted when the call times out (`limits.codeSeconds`). */
  signal: AbortSignal
}

interface ContextViewer {
  /** The id of the account; null for an anonymous viewer, an operator or an API key. */
  readonly id: string | null
  readonly roles: readonly string[]
  /** Whether the request had a valid token or key. */
  readonly authenticated: boolean
}

/** Creates the contexts of calls. */
export class Contexts {
  readonly #log: Log
  readonly #rows: ReadonlyMap<string, CodeRows>

  constructor(model: Model, engine: () => Engine, log: Log) {
    this.#log = log
    this.#rows = new Map(model.resources.map((of) => [of.name, new CodeRows(engine, of)]))
  }

  /** Reads a row without rules and without a log entry, for the arguments of hooks. */
  row(of: Resource, id: string, inside: Engine): Promise<object | null> {
    return this.#rows.get(of.name)!.reader(system, inside).get(id)
  }

  /** `functionName` is the code that is called: `Post.excerpt`. With `inside`, the engine of an open transaction, all reads and
   *  writes are part of that transaction. */
  create(functionName: string, viewer: Viewer, signal: AbortSignal, inside?: Engine): Context {
    const { account, roles, authenticated } = viewer
    const rows = this.#rows
    const log = this.#log
    const logAccess = (operation: string, resource: string) =>
      log.info({ 'code.function.name': functionName, operation, resource }, 'custom code used system access')
    // Getters create readers and writers on demand: most code uses few of them.
    return {
      viewer: { id: account, roles, authenticated },
      get read() {
        return readersOf(rows, viewer, inside)
      },
      get write() {
        return writersOf(rows, viewer, inside)
      },
      get system() {
        return { read: readersOf(rows, system, inside, logAccess), write: writersOf(rows, system, inside, logAccess) }
      },
      log,
      signal,
    }
  }
}

type LogSystemAccess = (operation: 'read' | 'write', resource: string) => void

function readersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  inside: Engine | undefined,
  logAccess?: LogSystemAccess,
): Readonly<Record<string, RowReader>> {
  return byName(rows, (of) => of.reader(viewer, inside), logAccess && ((name) => logAccess('read', name)))
}

function writersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  inside: Engine | undefined,
  logAccess?: LogSystemAccess,
): Readonly<Record<string, RowWriter>> {
  return byName(rows, (of) => of.writer(viewer, inside), logAccess && ((name) => logAccess('write', name)))
}

function byName<T>(
  rows: ReadonlyMap<string, CodeRows>,
  make: (rows: CodeRows) => T,
  logAccess?: (name: string) => void,
): Readonly<Record<string, T>> {
  const all = {}
  for (const [name, of] of rows) {
    const get = () => {
      logAccess?.(name)
      return make(of)
    }
    Object.defineProperty(all, name, { enumerable: true, get })
  }
  return all
}
