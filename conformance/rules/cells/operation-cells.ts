// Rules on custom operations, one cell for each operation × viewer × API. The expected verdicts are written out, not computed.

import type { Viewer } from '../../../packages/twain/src/base/http/index.ts'
import type { ServiceCode } from '../../../packages/twain/src/code/define-service.ts'
import type { TestApis } from '../../harness/open-apis.ts'

const fields = `
  open: Int @allow
  anyone: Int @allow(who: "anyone")
  members: Int @allow(who: "signedIn")
  staff: Int @allow(role: "staff")
  staffMembers: Int @allow(who: "signedIn", role: "staff")
  either: Int @allow(role: "staff") @allow(role: "partner")
  closed: Int`

export const operationSchema = `type User @account(login: "name") @allow(to: [READ]) { id: ID! name: String! @unique }
extend type Query { ${fields.replace(/\b(\w+): Int/g, 'read_$1: Int')} }
extend type Mutation { ${fields.replace(/\b(\w+): Int/g, 'write_$1: Int')} }`

const viewers: Record<string, Viewer> = {
  nobody: { account: null, roles: [], authenticated: false, token: null },
  ann: { account: 'ann', roles: [], authenticated: true, token: 't1' },
  clerk: { account: 'bob', roles: ['staff'], authenticated: true, token: 't2' },
  partner: { account: 'cyd', roles: ['partner', 'other'], authenticated: true, token: 't3' },
  /** An API key: it has a role and no account. */
  machine: { account: null, roles: ['staff'], authenticated: true, token: 't4' },
  operator: { account: null, roles: ['admin'], authenticated: true, token: 't5' },
}

/** Who may call each operation; nobody else may. */
const allowed: Record<string, readonly string[]> = {
  open: Object.keys(viewers),
  anyone: Object.keys(viewers),
  members: ['ann', 'clerk', 'partner'],
  staff: ['clerk', 'machine'],
  staffMembers: ['clerk'],
  either: ['clerk', 'partner', 'machine'],
  closed: ['operator'],
}

const names = Object.keys(allowed)

/** The operations that ran, by their names. */
export const called: string[] = []

function resolversOf(prefix: string): Record<string, () => number> {
  return Object.fromEntries(names.map((name) => [`${prefix}_${name}`, () => called.push(`${prefix}_${name}`)]))
}

export const operationService: ServiceCode = {
  resolvers: { Query: resolversOf('read'), Mutation: resolversOf('write') },
}

/** The cells whose answer is not the expected one, in words. */
export async function operationDifferences(apis: TestApis): Promise<string[]> {
  const differences: string[] = []
  for (const [who, viewer] of Object.entries(viewers)) {
    const client = apis.as(viewer)
    for (const name of names) {
      const mayCall = allowed[name]!.includes(who)
      const refusal = viewer.authenticated ? '403 FORBIDDEN' : '401 UNAUTHENTICATED'
      for (const prefix of ['read', 'write']) {
        const operation = `${prefix}_${name}`
        const path = prefix === 'read' ? `/read-${kebab(name)}` : `/write-${kebab(name)}-requests`
        called.length = 0
        const rest = await client.rest(prefix === 'read' ? 'GET' : 'POST', path, prefix === 'read' ? undefined : {})
        const graphql = await client.graphql(`${prefix === 'read' ? 'query' : 'mutation'} { ${operation} }`)
        const code = graphql.errors[0]?.extensions?.code
        const answers = [
          ['REST', rest.status === 200 ? '200' : `${rest.status} ${(rest.body as { code?: string }).code}`],
          ['GraphQL', code === undefined ? '200' : `${code === 'FORBIDDEN' ? 403 : 401} ${code}`],
          ['code', `${called.length} calls`],
        ]
        const expected = [mayCall ? '200' : refusal, mayCall ? '200' : refusal, `${mayCall ? 2 : 0} calls`]
        for (const [index, [api, answer]] of answers.entries()) {
          if (answer !== expected[index])
            differences.push(`${who} ${operation} ${api}: ${answer}, not ${expected[index]}`)
        }
      }
    }
  }
  return differences
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
