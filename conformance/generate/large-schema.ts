// A large schema in many files: resources with rules, references, lists, enums and an interface, and extensions of types that
// stand in other files. A tenth of the types has a state machine.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The texts of the files by their paths. `types` counts the resources. */
export function largeSchema(types: number, files: number): Map<string, string> {
  const texts = new Map([['account.graphql', account]])
  const append = (n: number, text: string) => {
    const file = fileOf(n, files - 1)
    texts.set(file, `${texts.get(file) ?? ''}${text}\n`)
  }
  for (let n = 1; n < types; n++) append(n, item(n, types))
  for (let n = 2; n < types; n += 5) append(n + 1, `extend type Item${n} {\n  note: String\n}\n`)
  return texts
}

export function writeSchema(folder: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The file of a type. */
export function fileOf(n: number, files: number): string {
  const file = n % files
  return `part${file % 6}/items${file}.graphql`
}

const account = `interface Named @resource(path: "named") {
  id: ID!
  name: String!
}

type User implements Named @account(login: "email") @allow(who: "self") @allow(to: [READ, CREATE]) {
  id: ID!
  name: String! @constraint(maxLength: 100)
  email: String! @unique
  roles: [String!]
}
`

function item(n: number, types: number): string {
  const hasKind = n % 4 === 0
  const hasState = n % 10 === 0
  const fields = [
    'id: ID!',
    '"Its name."',
    'name: String! @constraint(minLength: 1, maxLength: 200)',
    'owner: User!',
    'isPublic: Boolean! @default(value: false)',
    'count: Int! @default(value: 0) @constraint(min: 0) @index',
    'price: Decimal',
    'tags: [String!]',
    'created: DateTime! @auto(set: CREATE_TIME) @index(with: ["name"])',
    ...(hasKind ? [`kind: Kind${n}! @default(value: SMALL)`] : []),
    ...(hasState ? [`state: State${n}! @default(value: OPEN)`] : []),
    ...(n % 3 === 0 ? [`parent: Item${n / 3}`] : []),
    ...(n * 3 < types ? [`children: [Item${n * 3}!]!`] : []),
  ]
  const enums = [
    ...(hasKind ? [`enum Kind${n} {\n  SMALL\n  LARGE\n}\n\n`] : []),
    ...(hasState ? [`enum State${n} {\n  OPEN @next(to: [DONE], who: "owner")\n  DONE @next(to: [OPEN])\n}\n\n`] : []),
  ]
  return `${enums.join('')}type Item${n}${n % 7 === 0 ? ' implements Named' : ''}
  @allow(who: "owner")
  @allow(to: [READ], where: { isPublic: { eq: true } })
  @allow(role: "editor", to: [READ, UPDATE]) {
${fields.map((field) => `  ${field}\n`).join('')}}
`
}
