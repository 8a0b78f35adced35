// One connection for writes. Queries of one call go in one round trip, and each sees what those before it wrote.
//
// 1. After the connection is lost nothing is sent on it.
// 2. Every `query` ends: with rows, with an error, or because the server was silent for longer than the timeout. Then the
//    connection is closed.

import { FirstSights } from '#base'
import { clearTimeout, monotonicTime, randomFraction, setTimeout } from '#base/time'
import type { Query, QueryRows } from '../../sql/query.ts'
import { beginEpoch, type ServerHistory, selectVersionFloor } from '../changes/server-history.ts'
import { defaultStatementBytes, findDeadlocksEarly, statementCharacterBytes } from '../connect/connect.ts'
import { isOutdatedStatement, toDatabaseError } from '../connect/database-error.ts'
import { errorCode, isSwitching, isUnavailable } from '../connect/database-errors.ts'
import { type DatabaseClient, openClient } from '../connect/open-client.ts'
import { query } from '../connect/queries.ts'
import { endClient, minLifetimeMs } from '../connect/session.ts'
import { WriteBatch, type WriteBatchOwner, type WriteStatement } from './write-batch.ts'

/** A longer statement is prepared at its second use on a connection: the server keeps each until the connection ends. */
const maxFirstLength = 4000

/** How long the server may take to report a timeout. */
const timeoutGraceMs = 250

/** A write is never idle for long; if this process vanishes, the server must release its locks. */
const parameters = { idle_in_transaction_session_timeout: '2000' }

const rollBack: Query = { sql: 'ROLLBACK', parameters: [] }

interface RunningBatch {
  batch: WriteBatch
  end(error: unknown): void
}

export class WriteSession {
  readonly #time: number
  readonly #client: DatabaseClient
  readonly #origin: SessionOrigin
  readonly #oldAt = monotonicTime() + minLifetimeMs * (1 + randomFraction())
  readonly #statements = new Map<string, WriteStatement>()
  /** A prefix of statement names that no other connection uses: a pooler may give two connections the same session. */
  readonly #prefix = `w${randomFraction().toString(36).slice(2, 10)}_`
  /** Long statements that came once. */
  readonly #sights = new FirstSights()
  readonly #maxCharacters: number
  #statementCount = 0
  #characters = 0
  /** The batch that runs, and those behind it. */
  readonly #batches: RunningBatch[] = []
  /** Whether a transaction was open after the last batch. */
  #isOpen = false
  #isLost = false
  #isReadOnly = false
  #isOutdated = false

  /** `time` is the timeout of a statement in seconds; 0: none. */
  static async open(
    address: string,
    time: number,
    history: ServerHistory,
    statementBytes = defaultStatementBytes,
  ): Promise<WriteSession> {
    let origin: SessionOrigin = { versionFloor: 0, process: null }
    const onOpen = async (client: DatabaseClient) => {
      origin = await findOrigin(client, history)
      await query(client, findDeadlocksEarly)
    }
    return new WriteSession(await openClient({ address, time, parameters, onOpen }), origin, time, statementBytes)
  }

  private constructor(client: DatabaseClient, origin: SessionOrigin, time: number, statementBytes: number) {
    this.#client = client
    this.#origin = origin
    this.#time = time
    this.#maxCharacters = statementBytes / statementCharacterBytes
    client.on('error', () => this.#lose())
    client.on('end', () => this.#lose())
  }

  /** Whether another write may use it. */
  get isReusable(): boolean {
    const isFit = !this.#isLost && !this.#isReadOnly && !this.#isOutdated
    return isFit && this.#characters < this.#maxCharacters && monotonicTime() < this.#oldAt
  }

  /** Versions of rows that this session writes are greater (`changes/epochs.ts`). */
  get versionFloor(): number {
    return this.#origin.versionFloor
  }

  /** Null if nothing was ever served from this database. */
  get process(): ServerProcess | null {
    return this.#origin.process
  }

  /** Fills `received` with the rows of each query as they arrive. Rejects with the first error after the server is ready
   *  again, or at once if the connection is lost. After an error no transaction is open. */
  query(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    if (this.#isLost) return Promise.reject(new ConnectionLost())
    const run = this.#enqueue(queries, received, 'last')
    if (this.#batches.length === 1) this.#sendNext()
    return run
  }

  #enqueue(queries: readonly Query[], received: QueryRows[], place: 'first' | 'last'): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let failure: unknown = null
    let timer: NodeJS.Timeout | undefined
    const end = (error: unknown) => {
      clearTimeout(timer)
      if (failure === null && error === null) resolve()
      else reject(failure ?? error)
    }
    const owner: WriteBatchOwner = {
      onProgress: () => void timer?.refresh(),
      onFailure: (error, index) => {
        failure ??= this.#failure(toDatabaseError(error), index >= queries.length - 1)
      },
      onReady: (isOpen) => {
        this.#batches.shift()
        this.#isOpen = isOpen
        if (failure !== null) this.#clearUp(batch)
        this.#sendNext()
        end(null)
      },
    }
    const batch = new WriteBatch(queries, received, (sql) => this.#statement(sql), owner)
    if (this.#time > 0) timer = setTimeout(() => this.#lose(), this.#time * 1000 + timeoutGraceMs).unref()
    if (place === 'last') this.#batches.push({ batch, end })
    else this.#batches.unshift({ batch, end })
    return promise
  }

  #sendNext(): void {
    const [next] = this.#batches
    if (next !== undefined && !this.#isLost) this.#client.query(next.batch)
  }

  /** After a failure: the server may lack the new statements of the batch. */
  #clearUp(batch: WriteBatch): void {
    for (const sql of batch.unfinished()) this.#statements.delete(sql)
    if (this.#isOpen) this.#enqueue([rollBack], [], 'first').catch(() => this.#lose())
  }

  /** A server that stops answers one query with the reason and runs none after it: COMMIT, the last one, was not reached. */
  #failure(error: Error, isLast: boolean): unknown {
    if (errorCode(error) === readOnly) this.#isReadOnly = true // a former primary
    if (isOutdatedStatement(error)) {
      this.#isOutdated = true
      return new OutdatedStatement(error)
    }
    const isEnded = isSwitching(error) && !isLast
    return isUnavailable(error) && !isEnded ? new ConnectionLost(error) : error
  }

  #statement(sql: string): WriteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (sql.length > maxFirstLength && !this.#sights.isRepeated(sql))
      return { name: '', isPrepared: false, columns: [] }
    const statement = { name: `${this.#prefix}${this.#statementCount++}`, isPrepared: false, columns: [] }
    this.#statements.set(sql, statement)
    this.#characters += sql.length
    return statement
  }

  /** Later queries wait behind it. */
  rollBack(): void {
    if (this.#batches.length === 0 && !this.#isOpen) return
    this.query([rollBack], []).catch(() => this.#lose())
  }

  close(): void {
    this.#isLost = true
    endClient(this.#client).catch(() => undefined)
  }

  #lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#client.abort()
    for (const { end } of this.#batches.splice(0)) end(new ConnectionLost())
  }
}

/** The process of the server that runs the queries of a session. */
export interface ServerProcess {
  id: string
  /** When its server was started: no two servers have the same. */
  serverStart: string
}

/** What a session knows of its server. */
interface SessionOrigin {
  versionFloor: number
  process: ServerProcess | null
}

/** Begins an epoch if the server has another history, so that no write uses a version of the lost past. */
async function findOrigin(client: DatabaseClient, history: ServerHistory): Promise<SessionOrigin> {
  const select = async () => (await query<VersionFloor>(client, selectVersionFloor(history)))[0]!
  try {
    let found = await select()
    if (found.is_outdated) {
      await query(client, beginEpoch(history))
      found = await select()
    }
    const process = { id: String(found.process_id), serverStart: found.server_start }
    return { versionFloor: found.version_floor, process }
  } catch (error) {
    if (errorCode(error) === undefinedTable) return { versionFloor: 0, process: null }
    throw errorCode(error) === inRecovery ? new StandbyServer(error) : error
  }
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

export const outdatedStatement = 'OUTDATED_STATEMENT'

/** The server has no longer a statement that was prepared, or its tables have changed, or it is another server. Nothing was
 *  written; the next attempt prepares it anew. */
export class OutdatedStatement extends Error {
  readonly code = outdatedStatement

  constructor(cause: unknown) {
    super('a statement of a write is outdated', { cause })
  }
}
