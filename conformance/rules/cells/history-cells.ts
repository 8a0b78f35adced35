// The rules of histories and reversions: viewers × rows × versions, each answer beside that of a reference of a few lines, written from
// docs/reference/rest.md (R173, R174, R178, R179, R185) alone.

import { anonymous, system, type Viewer } from '../../../packages/twain/src/base/http/index.ts'
import { openApis, restBody, type Tamper, type TestApis } from '../../harness/open-apis.ts'
import { canonicalJson } from './cell.ts'
import { statusOf } from './write-cells.ts'

const sdl = `
  type Tag @allow(to: READ, where: {secret: {ne: true}}) @allow(role: "editor") { id: ID! secret: Boolean }
  type Post
    @allow(to: READ, where: {secret: {ne: true}})
    @allow(role: "writer", to: [READ, UPDATE], where: {secret: {ne: true}})
    @allow(role: "auditor", to: [READ, AUDIT])
    @allow(role: "editor") {
    id: ID! title: String secret: Boolean
    salary: Int @allow(role: "editor")
    pinned: Boolean @allow(to: READ) @allow(role: "editor")
    note: String @allow(to: READ, where: {pinned: {ne: true}}) @allow(role: "editor")
    about: Tag
    code: String @unique @allow(to: READ, where: {pinned: {ne: true}}) @allow(role: "editor")
  }
`

interface PostState {
  title: string
  secret: boolean
  salary: number
  pinned: boolean
  note: string | null
  about: string | null
}

const state = (title: string, more: Partial<PostState> = {}): PostState => ({
  ...{ title, secret: false, salary: 1, pinned: false, note: null, about: null },
  ...more,
})

/** The states of each row, from its first version to the one that it has. */
const posts: Readonly<Record<string, readonly PostState[]>> = {
  plain: [state('a'), state('b'), state('c')],
  wasSecret: [state('a', { secret: true }), state('b', { secret: true }), state('c'), state('d')],
  isSecret: [state('a'), state('b'), state('b', { secret: true })],
  paid: [state('a'), state('a', { salary: 2 }), state('b', { salary: 3 })],
  pinnedLater: [state('a'), state('b', { pinned: true })],
  noted: [state('a', { note: 'x' }), state('b', { note: 'y' })],
  noteHiddenThen: [state('a', { note: 'x', pinned: true }), state('b', { note: 'y', pinned: true }), state('c')],
  noteHiddenNow: [state('a', { note: 'x' }), state('a', { note: 'y' }), state('b', { note: 'z', pinned: true })],
  hiddenTag: [state('a', { about: 'dark' }), state('a', { about: 'bright' }), state('b', { about: 'dark' })],
  openTag: [state('a', { about: 'bright' }), state('b', { about: null })],
}

const viewers = ['nobody', 'writer', 'auditor', 'editor'] as const
type Role = (typeof viewers)[number]

const asViewer = (role: Role): Viewer =>
  role === 'nobody' ? anonymous : { ...anonymous, roles: [role], authenticated: true }

const mayRead = (role: Role, { secret }: PostState) => role === 'editor' || role === 'auditor' || !secret
const seesTag = (role: Role, tag: string | null) => tag === null || role === 'editor' || tag === 'bright'
const fields = ['title', 'secret', 'salary', 'pinned', 'note', 'about'] as const
const mayReadField = (role: Role, name: string, { pinned }: PostState) =>
  role === 'editor' || (name !== 'salary' && (name !== 'note' || !pinned))
const mayChange = (role: Role, name: string) => role === 'editor' || !['salary', 'pinned', 'note'].includes(name)

/** As the viewer sees it. */
const seen = (role: Role, name: (typeof fields)[number], { [name]: value }: PostState) =>
  name === 'about' && !seesTag(role, value as string | null) ? null : value

/** A viewer who can't read the key finds nothing by it. */
const finds = (role: Role, by: Locator, now: PostState) =>
  mayRead(role, now) && (by === 'id' || role === 'editor' || !now.pinned)

function expectedHistory(role: Role, states: readonly PostState[], by: Locator): unknown {
  const now = states.at(-1)!
  if (!finds(role, by, now)) return 404
  return states
    .flatMap((after, index) => {
      const before = states[index - 1]
      if (!mayRead(role, after) || (before !== undefined && !mayRead(role, before))) return []
      const changed = fields
        .filter((name) => [before ?? after, after, now].every((one) => mayReadField(role, name, one)))
        .filter((name) => after[name] !== (before?.[name] ?? null))
        .map((name) => [name, before === undefined ? null : seen(role, name, before), seen(role, name, after)])
        .filter(([, was, is]) => was !== null || is !== null)
      if (before !== undefined && changed.length === 0) return []
      return [{ version: index + 1, hasAuthor: role === 'auditor', changed }]
    })
    .toReversed()
}

/** The status, and the row afterwards. */
function expectedReversion(
  role: Role,
  states: readonly PostState[],
  version: number,
  by: Locator,
): [status: number, PostState] {
  const now = states.at(-1)!
  const then = states[version - 1]!
  if (role === 'nobody') return [401, now]
  if (!finds(role, by, now)) return [404, now]
  if (role === 'auditor') return [403, now]
  if (version === states.length) return [200, now]
  if (!mayRead(role, then)) return [410, now]
  const set = fields
    .filter((name) => mayReadField(role, name, then) && mayReadField(role, name, now))
    .filter((name) => name !== 'about' || seesTag(role, then.about))
  const differing = set.filter((name) => then[name] !== now[name])
  if (differing.some((name) => !mayChange(role, name))) return [403, now]
  return [200, { ...now, ...Object.fromEntries(differing.map((name) => [name, then[name]])) }]
}

export async function openHistoryCells(tamper?: Tamper): Promise<TestApis> {
  const apis = await openApis(sdl, {}, tamper)
  const server = apis.as(system)
  for (const [id, secret] of [
    ['dark', true],
    ['bright', false],
  ] as const)
    await restBody(server, 'PUT', `/tags/${id}`, { secret })
  return apis
}

/** The cells that differ, and how many there are. */
export async function historyDifferences(apis: TestApis): Promise<{ cells: number; differences: string[] }> {
  const outcome = { cells: 0, differences: [] as string[] }
  const compare = (name: string, got: unknown, expected: unknown) => {
    outcome.cells++
    const [one, other] = [canonicalJson(got), canonicalJson(expected)]
    if (one !== other) outcome.differences.push(`${name}\n  expected ${other}\n  got      ${one}`)
  }
  for (const [name, states] of Object.entries(posts)) {
    const shown = await written(apis, states)
    for (const [role, by] of viewers.flatMap((role) => locators.map((by) => [role, by] as const))) {
      const history = expectedHistory(role, states, by)
      compare(`${role}: REST changes of ${name} by ${by}`, await restHistory(apis, role, shown, by), history)
      compare(`${role}: GraphQL changes of ${name} by ${by}`, await graphqlHistory(apis, role, shown, by), history)
      for (let version = 1; version <= states.length; version++) {
        // By a key, each version through one of the APIs.
        for (const api of by === 'id' ? apiNames : [apiNames[version % 2]!]) {
          const row = await written(apis, states)
          const status = await (api === 'REST' ? restRevert : graphqlRevert)(apis, role, row, version, by)
          const cell = `${role}: ${api} reversion of ${name} to ${version} by ${by}`
          compare(cell, [status, await stored(apis, row)], expectedReversion(role, states, version, by))
        }
      }
    }
  }
  return outcome
}

const apiNames = ['REST', 'GraphQL'] as const
const locators = ['id', 'code'] as const
type Locator = (typeof locators)[number]
type WrittenPost = Record<Locator, string>

let made = 0

/** A new row that has had these states. */
async function written(apis: TestApis, [first, ...others]: readonly PostState[]): Promise<WrittenPost> {
  const server = apis.as(system)
  const row = (await restBody(server, 'POST', '/posts', { ...first, code: `c${++made}` })) as WrittenPost
  for (const next of others) await restBody(server, 'PATCH', `/posts/${row.id}`, next)
  return row
}

async function stored(apis: TestApis, { id }: WrittenPost): Promise<unknown> {
  const all = (await restBody(apis.as(system), 'GET', `/posts/${id}`)) as WrittenPost
  const { id: _, code: _code, ...row } = all
  return row
}

interface HistoryEdges {
  edges: { node: { version: number; by: unknown; changed: { field: string; before: unknown; after: unknown }[] } }[]
}

/** Without the code, which the first version has. */
function historyOf({ edges }: HistoryEdges): unknown {
  return edges.map(({ node: { version, by, changed } }) => ({
    version,
    hasAuthor: by !== null,
    changed: changed.flatMap(({ field, before, after }) => (field === 'code' ? [] : [[field, before, after]])),
  }))
}

const pathOf = (row: WrittenPost, by: Locator) => `/posts/${by === 'id' ? row.id : `code=${row.code}`}`

/** `post(id: "…"`, `postBy(key: {code: "…"}`. */
const callOf = (field: string, row: WrittenPost, by: Locator) =>
  by === 'id' ? `${field}(id: "${row.id}"` : `${field}By(key: {code: "${row.code}"}`

async function restHistory(apis: TestApis, role: Role, row: WrittenPost, by: Locator): Promise<unknown> {
  const { status, body } = await apis.as(asViewer(role)).rest('GET', `${pathOf(row, by)}/changes`)
  return status === 200 ? historyOf(body as HistoryEdges) : status
}

async function graphqlHistory(apis: TestApis, role: Role, row: WrittenPost, by: Locator): Promise<unknown> {
  const selection = '_changes { edges { node { version by changed { field before after } } } }'
  const { data } = await apis.as(asViewer(role)).graphql(`{ post: ${callOf('post', row, by)}) { ${selection} } }`)
  const found = data?.post as { _changes: HistoryEdges } | null
  return found === null ? 404 : historyOf(found._changes)
}

type Revert = (apis: TestApis, role: Role, row: WrittenPost, version: number, by: Locator) => Promise<number>

const restRevert: Revert = async (apis, role, row, version, by) =>
  (await apis.as(asViewer(role)).rest('POST', `${pathOf(row, by)}/reversions`, { version })).status

const graphqlRevert: Revert = async (apis, role, row, version, by) => {
  const sent = `mutation { ${callOf('revertPost', row, by)}, version: ${version}) { id } }`
  const { errors } = await apis.as(asViewer(role)).graphql(sent)
  return errors.length === 0 ? 200 : statusOf(errors[0])
}
