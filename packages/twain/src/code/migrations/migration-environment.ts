// What data migrations are run with, and what they report.

import type { Log } from '#base'
import type { Viewer } from '#base/http'
import type { CodeEngine, ServiceEngine } from '#engine'
import type { DataMigrations } from '#store'
import type { Context } from '../context.ts'
import type { BoundMigration } from './bind-migration.ts'

export interface MigrationEnvironment {
  records: DataMigrations
  engine: ServiceEngine
  context(name: string, viewer: Viewer, inside: CodeEngine): Context
  log: Log
  now: () => number
  /** Ends the run between two portions. */
  stop?: AbortSignal | undefined
  onProgress?: ((report: MigrationReport) => void) | undefined
}

/** How far a migration came. */
export interface MigrationReport {
  migration: BoundMigration
  visited: number
  changed: number
  isDone: boolean
}

/** Where a migration failed. */
export interface FailurePlace {
  /** The row; null: none. */
  id: string | null
  /** How many rows were visited before, in portions that were committed. */
  visited: number
}
