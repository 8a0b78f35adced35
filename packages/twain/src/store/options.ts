// What opening a store and `twain migrate` take. Both databases read the same options.

import type { CacheBudget, Log, SlowStatements, StatementRecorder, Tracing } from '#base'
import type { Model } from '#model'
import type { Limits } from '#plan'
import type { MigrationFile } from './system/data-migrations.ts'

export interface OpenOptions {
  /** The data folder; the store creates it if it is missing. */
  data: string
  /** The address of a PostgreSQL database, which replaces the folder's SQLite file. */
  database?: string | null
  /** Addresses of read replicas. */
  replicas?: readonly string[]
  /** The maximum number of connections to the database. */
  poolSize?: number
  /** The time limit of one statement; null: the time limit of a request. */
  statementTimeoutSeconds?: number | null
  /** How long a start waits for the database. */
  startupWaitSeconds?: number
  /** How long reads and writes wait while the database is away. */
  outageWaitSeconds?: number
  /** Ends that waiting; the store then throws the signal's reason. */
  stop?: AbortSignal
  /** The public origin of the service, for the urls of files; null: they are relative. */
  origin?: string | null
  model: Model
  /** The schema file's text; the store saves it with the data. */
  sdl: string
  limits: Limits
  /** What its caches share; default: one of its own. */
  caches?: CacheBudget
  log: Log
  /** Statements that take at least so many milliseconds are logged; 0, the default: none. */
  slowQueryMs?: number
  /** Where they are kept, too. Default: nowhere. */
  slowStatements?: SlowStatements | null
  /** Records the statements of single requests. Default: none. */
  recorder?: StatementRecorder | null
  /** Default: nothing is traced. */
  tracing?: Tracing | null
  /** Whether a start may serve a schema that breaks clients of the previous one. */
  allowBreaking?: boolean
  /** The data migrations that run before the schema is served. Default: none. */
  migrations?: readonly MigrationFile[]
  /** Pages from this offset on have a statement of their own (`read/deep-page.ts`). */
  minDeepOffset?: number
  /** How many writes may share a commit; 1: one commit for each write. */
  maxGroupedWrites?: number
  /** Whether writes are serializable, because custom code reads rows and then writes. */
  isSerializable?: boolean
  /** Replaces the database's clock in the queue. Milliseconds since 1970. */
  clock?: () => number
}

export interface MigrateOptions {
  /** The data folder. */
  data: string
  /** The address of a PostgreSQL database, which replaces the folder's SQLite file. */
  database: string | null
  model: Model
  /** The schema file's text. */
  sdl: string
  allowBreaking: boolean
  /** The data migrations that follow. */
  migrations?: readonly MigrationFile[]
  /** Whether to drop the tables and columns that earlier schemas have left behind. */
  drop: boolean
  log: Log
  /** Called before each step, with its SQL or a comment. */
  onStep?: (step: string) => void
}
