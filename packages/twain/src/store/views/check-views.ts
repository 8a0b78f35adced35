// Checks the views of a schema at the start, on the database that serves them: each has a SELECT for it, which the database can
// run, and whose columns have the names of the fields.

import { didYouMean } from '#base'
import type { Model, Resource } from '#model'
import type { Layout } from '../tables/layout.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { selectAll, type ViewSql } from './view-source.ts'

export interface ViewChecker {
  sql: ViewSql
  /** Prepares a SELECT without running it, and returns the names of its columns. Throws what the database says. */
  columns(select: string): Promise<string[]> | string[]
}

/** Throws StartRefused with every mistake. */
export async function checkViews(model: Model, layout: Layout, { sql, columns }: ViewChecker): Promise<void> {
  const mistakes: string[] = []
  for (const view of model.views) {
    const mistake = await checkView(view)
    if (mistake !== null) mistakes.push(`${placeOf(view)} ${view.name}: ${mistake}`)
  }
  if (mistakes.length > 0) throw new StartRefused(`The schema has views with mistakes:\n${mistakes.join('\n')}`)

  async function checkView(view: Resource): Promise<string | null> {
    if (view.view![sql.store] === null)
      return `it has no SELECT for this database. Write: @view(${sql.store}: "SELECT …").`
    try {
      const missing = missingColumns(view, await columns(selectAll(view, model, layout, sql, '*')))
      if (missing !== null) return missing
      // With the conversions around it: a column of another type is found here.
      await columns(`SELECT * FROM ${layout.tables.get(view)!.source!} AS checked`)
      return null
    } catch (error) {
      return `the database refuses its SELECT: ${(error as Error).message}`
    }
  }
}

function missingColumns({ fields, view }: Resource, columns: readonly string[]): string | null {
  const names = [...fields.keys()].filter((name) => name !== 'id' || view!.hasOwnId)
  const missing = names.filter((name) => !columns.includes(name))
  if (missing.length === 0) return null
  const [first] = missing
  const near = didYouMean(first!, columns)
  const returned = near === '' ? ` It returns ${columns.join(', ')}.` : near
  return `its SELECT returns no column ${missing.join(', ')}.${returned} Write: SELECT … AS "${first}".`
}

function placeOf({ view }: Resource): string {
  const { file, line, column } = view!.place
  return `${file}:${line}:${column}`
}
