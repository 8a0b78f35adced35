// `twain migrate`: does what a start does to the data, and serves nothing.

import { leftRows } from '#code'
import { type MigrateOptions, migrateStore, type PlannedMigrations, planDataMigrations, planMigration } from '#store'
import { filesOf, openCore, type ServiceEnvironment } from './open-core.ts'
import type { CodedSchema } from './read-files.ts'

/** What a start would do to the data. */
export interface DataPlan extends PlannedMigrations {
  /** SQL and comments. */
  steps: readonly string[]
}

type PlaceOptions = Omit<MigrateOptions, 'model' | 'sdl' | 'migrations'>

/** Throws StartRefused as a start would. Changes nothing. */
export async function planData(schema: CodedSchema, options: PlaceOptions): Promise<DataPlan> {
  const { model, migrations } = schema
  const all = optionsOf(schema, options)
  const steps = await planMigration(all)
  const planned = await planDataMigrations(all, (name, last) => {
    const { work } = migrations.find((one) => one.name === name)!
    return work.kind === 'rows' ? leftRows(work, last, model) : null
  })
  return { steps, ...planned }
}

/** Throws StartRefused. */
export async function migrateData(
  schema: CodedSchema,
  options: PlaceOptions,
  { steps, left, checksRows }: DataPlan,
  environment: ServiceEnvironment,
): Promise<void> {
  if (steps.length > 0) await migrateStore(optionsOf(schema, options))
  if (left.length === 0 && !checksRows) return
  const { store } = await openCore(schema, environment, {})
  await store.close()
}

function optionsOf(schema: CodedSchema, options: PlaceOptions): MigrateOptions {
  return { ...options, model: schema.model, sdl: schema.sdl, migrations: filesOf(schema) }
}
