// One connection for writes. Queries of one call go in one round trip, and each sees what those before it wrote.
//
// 1. After the connection is lost nothing is sent on it: the driver would reconnect and run parts of a transaction outside
//    of it.
// 2. Every `query` ends: with rows, with an error, or because the server was silent for longer than the timeout. Then the
//    connection is closed.

import type { ReservedSql } from 'postgres'
import { FirstSights } from '#base'
import type { Query, QueryRows } from '../../sql/query.ts'
import { beginEpoch, type ServerHistory, selectVersionFloor } from '../changes/server-history.ts'
import {
  connectOne,
  connectTimeoutSeconds,
  type Database,
  defaultStatementBytes,
  statementCharacterBytes,
} from '../connect/connect.ts'
import { withConnectTimeout } from '../connect/connect-timeout.ts'
import { errorCode, isSwitching, isUnavailable } from '../connect/database-errors.ts'

/** A longer statement is prepared at its second use on a connection: the server keeps each until the connection ends. */
const maxFirstLength = 4000

/** How long the server may take to report a timeout. */
const timeoutGraceMs = 250

export class WriteSession {
  readonly #time: number
  readonly #database: Database
  readonly #statements = new Set<string>()
  /** Long statements that came once. */
  readonly #sights = new FirstSights()
  readonly #maxCharacters: number
  #characters = 0
  readonly #running = new Set<(error: unknown) => void>()
  #reserved: ReservedSql | null = null
  #isLost = false
  #isReadOnly = false
  #versionFloor = 0
  #process: ServerProcess | null = null

  /** `time` is the timeout of a statement in seconds; 0: none. */
  static async open(
    address: string,
    time: number,
    history: ServerHistory,
    statementBytes = defaultStatementBytes,
  ): Promise<WriteSession> {
    const session = new WriteSession(address, time, statementBytes)
    try {
      await withConnectTimeout(session.#reserve(history), connectTimeoutSeconds(time))
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** The driver reserves no connection before it has opened one. */
  async #reserve(history: ServerHistory): Promise<void> {
    this.#versionFloor = await this.#findVersionFloor(history)
    this.#reserved = await this.#database.reserve()
  }

  /** Begins an epoch if the server has another history, so that no write uses a version of the lost past. */
  async #findVersionFloor(history: ServerHistory): Promise<number> {
    const select = async () => (await this.#database.unsafe<VersionFloor[]>(selectVersionFloor(history)))[0]!
    try {
      let found = await select()
      if (found.is_outdated) {
        await this.#database.unsafe(beginEpoch(history))
        found = await select()
      }
      this.#process = { id: String(found.process_id), serverStart: found.server_start }
      return found.version_floor
    } catch (error) {
      if (errorCode(error) === undefinedTable) return 0
      throw errorCode(error) === inRecovery ? new StandbyServer(error) : error
    }
  }

  private constructor(address: string, time: number, statementBytes: number) {
    this.#time = time
    this.#maxCharacters = statementBytes / statementCharacterBytes
    this.#database = connectOne(address, time, () => this.#lose())
  }

  /** Whether another write may use it. */
  get isReusable(): boolean {
    return !this.#isLost && !this.#isReadOnly && this.#characters < this.#maxCharacters
  }

  /** Versions of rows that this session writes are greater (`changes/epochs.ts`). */
  get versionFloor(): number {
    return this.#versionFloor
  }

  /** Null if nothing was ever served from this database. */
  get process(): ServerProcess | null {
    return this.#process
  }

  /** Fills `received` with the rows of each query as they arrive. Rejects with the first error after all queries have
   *  ended, or at once if the connection is lost. */
  query(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    if (this.#isLost) return Promise.reject(new ConnectionLost())
    return new Promise((resolve, reject) => {
      let left = queries.length
      let failure: unknown = null
      const timer =
        this.#time === 0 ? undefined : setTimeout(() => this.#lose(), this.#time * 1000 + timeoutGraceMs).unref()
      const end = (error: unknown) => {
        clearTimeout(timer)
        this.#running.delete(end)
        if (error === null) resolve()
        else reject(failure ?? error)
      }
      this.#running.add(end)
      // A server that stops answers one query with the reason and runs none after it: COMMIT, the last one, was not reached.
      const isEnded = (error: unknown, index: number) => isSwitching(error) && index < queries.length - 1
      const next = () => {
        timer?.refresh()
        if (--left === 0) end(failure)
      }
      for (const [index, { sql, parameters }] of queries.entries()) {
        const query = this.#reserved!.unsafe(sql, parameters as string[], { prepare: this.#mayPrepare(sql) }).values()
        query.then(
          (rows) => {
            received[index] = rows as unknown as QueryRows
            next()
          },
          (error) => {
            if (errorCode(error) === readOnly) this.#isReadOnly = true // a former primary
            failure ??= isUnavailable(error) && !isEnded(error, index) ? new ConnectionLost(error) : error
            next()
          },
        )
      }
    })
  }

  #mayPrepare(sql: string): boolean {
    if (this.#statements.has(sql)) return true
    if (sql.length > maxFirstLength && !this.#sights.isRepeated(sql)) return false
    this.#statements.add(sql)
    this.#characters += sql.length
    return true
  }

  /** Later queries wait behind it. */
  rollBack(): void {
    this.query([{ sql: 'ROLLBACK', parameters: [] }], []).catch(() => this.#lose())
  }

  close(): void {
    this.#isLost = true
    this.#database.end({ timeout: 0 }).catch(() => undefined)
  }

  #lose(): void {
    if (this.#isLost) return
    this.close()
    for (const end of this.#running) end(new ConnectionLost())
  }
}

/** The process of the server that runs the queries of a session. */
export interface ServerProcess {
  id: string
  /** When its server was started: no two servers have the same. */
  serverStart: string
}

interface VersionFloor {
  version_floor: number
  is_outdated: boolean
  process_id: number
  server_start: string
}

/** No epochs: the command line reads the credentials of a database that this build has not served yet. */
const undefinedTable = '42P01'
/** A standby has no current WAL segment (object_not_in_prerequisite_state). */
const inRecovery = '55000'
const readOnly = '25006'

/** A server that takes no writes, as if a write had failed there. */
class StandbyServer extends Error {
  readonly code = readOnly

  constructor(cause: unknown) {
    super('the server is a standby', { cause })
  }
}

export const connectionLost = 'CONNECTION_LOST'

class ConnectionLost extends Error {
  readonly code = connectionLost

  constructor(cause?: unknown) {
    super('the connection to the database was lost', { cause })
  }
}
