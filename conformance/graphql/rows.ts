// Rows for the executor test: written through our API, and stored in memory for the resolvers of the oracle.

import type { ApiClient } from '../harness/open-apis.ts'

export interface Row {
  type: string
  id: string
  /** As answers have them: stored fields, ids of references (with their type) and of links. */
  values: Record<string, unknown>
}

export class Rows {
  readonly #rows = new Map<string, Row[]>()

  add(row: Row): void {
    this.#rows.set(row.type, [...this.of(row.type), row])
  }

  /** In the order of their ids. */
  of(type: string): Row[] {
    return (this.#rows.get(type) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  find(type: string, id: unknown): Row | null {
    return this.of(type).find((row) => row.id === id) ?? null
  }

  /** The row with this id, of any type: ids are unique over all types. */
  byId(id: unknown): Row | null {
    for (const type of this.#rows.keys()) {
      const row = this.find(type, id)
      if (row !== null) return row
    }
    return null
  }
}

export async function fillRows(api: ApiClient): Promise<Rows> {
  const rows = new Rows()
  const make = async (type: string, path: string, values: Record<string, unknown>): Promise<string> => {
    const { status, body } = await api.rest('POST', path, values)
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`)
    const { id } = body as { id: string }
    rows.add({ type, id, values: { ...values, id } })
    return id
  }
  const tags: string[] = []
  for (const name of ['sea', null, 'wood']) tags.push(await make('Tag', '/tags', { name }))
  const users: string[] = []
  for (const [index, name] of ['Ann', null, 'Cem'].entries()) {
    const former = [{ city: 'B', lines: [], former: null }]
    const address = index === 1 ? null : { city: 'A', lines: index === 0 ? null : ['x', 'y'], former }
    const homes = index === 0 ? [] : [{ city: 'C', lines: null, former: null }]
    users.push(
      await make('User', '/users', {
        email: `u${index}@x.org`,
        name,
        age: index * 20,
        address,
        homes,
        favourite: tags[index],
      }),
    )
  }
  const posts: string[] = []
  for (let index = 0; index < 6; index++) {
    const isOdd = index % 2 === 1
    const values = {
      title: `p${index}`,
      name: isOdd ? null : `n${index}`,
      note: index === 4 ? null : `secret ${index}`,
      labels: isOdd ? ['a', 'b'] : null,
      matrix: isOdd ? [[1, null], null, []] : [],
      score: index / 4,
      price: `${index}.5`,
      status: isOdd ? 'DRAFT' : 'PUBLISHED',
      meta: isOdd ? { a: [1, { b: null }] } : null,
      at: `2026-01-0${index + 1}T00:00:00.000Z`,
      author: users[index % 3],
      tags: tags.slice(0, index % 4),
    }
    posts.push(await make('Post', '/posts', values))
  }
  let parent: string | null = null
  for (let index = 0; index < 8; index++) {
    const about = [null, posts[1], tags[0]][index % 3]
    const comment = await make('Comment', '/comments', { body: `c${index}`, on: posts[index % 4], about, parent })
    parent = isEven(index) ? comment : null
  }
  return rows
}

function isEven(index: number): boolean {
  return index % 2 === 0
}
