// Connections, merged by cursor. The `edges` of a connection's node are not a list but `Run`s: sequences of edges without a
// gap, made of the loaded pages. A reader gets the part that its `first` and `after` select, or nothing if a part of it is
// missing.

import type { Field, Values } from '../document/selection.ts'
import type { Fields, Node } from './node.ts'

export interface Run {
  /** The cursor after which the run begins; null: at the start of the list. */
  readonly after: string | null
  readonly edges: readonly Node[]
  /** `pageInfo`: the start of its first page and the end of its last page. */
  readonly info: Fields
  /** The requested page size after each cursor. A server may return fewer edges and still have more. */
  readonly sizes: ReadonlyMap<string | null, unknown>
}

export const runsOf = (node: Node): readonly Run[] | undefined => node.now.edges as readonly Run[] | undefined

export function pageOf(field: Field, values: Values): { first: number; after: string | null } {
  const { first, after } = field.arguments(values)
  return { first: typeof first === 'number' ? first : Number.POSITIVE_INFINITY, after: (after as string) ?? null }
}

/** The `pageInfo` of a part of a run. */
export function infoOf({ edges, info }: Run, from: number, to: number): Fields {
  return {
    ...info,
    ...(from > 0 && { hasPreviousPage: true, startCursor: cursorOf(edges[from]) ?? null }),
    ...(to < edges.length && { hasNextPage: true, endCursor: cursorOf(edges[to - 1]) }),
  }
}

const cursorOf = (edge: Node | undefined): unknown => edge?.now.cursor

/** The run that continues after a cursor, and the position in it. */
export function locate(runs: readonly Run[], after: unknown): { run: Run; from: number } | null {
  for (const run of runs) {
    if (run.after === after) return { run, from: 0 }
    if (after === null) continue
    const index = run.edges.findIndex((edge) => cursorOf(edge) === after)
    if (index >= 0) return { run, from: index + 1 }
    if (run.info.endCursor === after) return { run, from: run.edges.length }
  }
  return null
}

/** The runs with one more page, which was requested with these values. */
export function placePage(
  runs: readonly Run[],
  edges: readonly Node[],
  info: Fields,
  field: Field,
  values: Values,
): Run[] {
  const { first, after } = pageOf(field, values)
  const end = info.endCursor ?? cursorOf(edges.at(-1))
  const place = locate(runs, after)
  let page: Run = { after, edges, info, sizes: new Map([[after, first]]) }
  if (place !== null) {
    const { run, from } = place
    const behind = end == null || info.hasNextPage === false ? null : locate([run], end)
    const tail = behind === null || behind.from <= from ? [] : run.edges.slice(behind.from)
    page = join(
      { ...run, edges: run.edges.slice(0, from), info: from > 0 ? run.info : info },
      { ...page, edges: [...edges, ...tail], info: tail.length > 0 ? { ...info, ...endOf(run.info) } : info },
    )
  }
  const others = runs.filter((run) => run !== place?.run)
  const next = page.info.endCursor == null ? undefined : others.find((run) => run.after === page.info.endCursor)
  return next === undefined ? [...others, page] : [...others.filter((run) => run !== next), join(page, next)]
}

const endOf = ({ endCursor, hasNextPage }: Fields): Fields => ({ endCursor, hasNextPage })

function join(a: Run, b: Run): Run {
  return {
    after: a.after,
    edges: [...a.edges, ...b.edges],
    info: { ...b.info, ...a.info, ...endOf(b.info) },
    sizes: new Map([...a.sizes, ...b.sizes]),
  }
}
