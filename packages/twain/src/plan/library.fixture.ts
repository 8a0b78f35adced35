// A small model with every kind of field, and short accessors: for tests.

import { ApiError, type Problem } from '#base'
import { type Abstract, type Field, loadModel, type Resource, type StoredField } from '#model'

export const library = loadModel(
  `
  type Author {
    id: ID!
    name: String!
    born: Date
    books: [Book!]! @relation(inverse: "author")
    agent: Agent @relation(inverse: "author")
  }
  type Agent { id: ID! name: String! author: Author @unique }
  type Book implements Work {
    id: ID!
    title: String! @constraint(minLength: 1, maxLength: 10)
    pages: Int
    rating: Float
    inPrint: Boolean
    code: ID
    published: DateTime @default(value: "2026-01-31T09:30:00+01:00")
    price: Decimal @constraint(min: 0)
    sold: BigInt
    notes: JSON
    colour: Colour
    genre: Genre! @default(value: NOVEL)
    labels: [String!] @constraint(maxItems: 3, maxLength: 5)
    scores: [Int]
    size: Size
    sizes: [Size!]
    isbn: String! @immutable
    createdAt: DateTime! @auto(set: CREATE_TIME)
    author: Author!
    editor: Author
    tags: [Tag!]!
    about: Subject
  }
  type Film implements Work { id: ID! title: String! minutes: Int }
  type Tag { id: ID! name: String! books: [Book!]! }
  type Size { width: Int! height: Int! @default(value: 1) unit: Unit note: String @constraint(maxLength: 3) }
  type Unit { name: String! factor: Decimal }
  interface Work { title: String! }
  union Subject = Author | Film
  enum Genre { NOVEL ESSAY POEM }
  scalar Colour
  `,
  'library.graphql',
)

export function resource(name: string): Resource {
  const type = library.types.get(name)
  if (type?.kind !== 'resource') throw new Error(`${name} is not a resource`)
  return type
}

export function abstract(name: string): Abstract {
  const type = library.types.get(name)
  if (type?.kind !== 'abstract') throw new Error(`${name} is not an abstract`)
  return type
}

/** `Book.title`. */
export function fieldOf<Kind extends Field['kind']>(name: string, kind: Kind): Field & { kind: Kind } {
  const [owner = '', field = ''] = name.split('.')
  const found = resource(owner).fields.get(field)
  if (found?.kind !== kind) throw new Error(`${name} is not ${kind}`)
  return found as Field & { kind: Kind }
}

export function stored(name: string): StoredField {
  return fieldOf(name, 'stored')
}

/** `path CODE` of each. */
export function listProblems(problems: readonly Problem[]): string[] {
  return problems.map(({ path, code }) => `${path} ${code}`)
}

export function errorOf(act: () => unknown): ApiError {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
