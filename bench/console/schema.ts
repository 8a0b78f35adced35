// The service whose console is measured: a large table, a wide one, and a document with 1 MB of JSON.

/** Columns beside the id. */
const wideColumns = Array.from({ length: 99 }, (_, index) => `c${String(index).padStart(2, '0')}`)

export const sdl = `
  type Order @allow(who: "signedIn") {
    id: ID!
    customer: String!
    pieces: Int!
    placed: DateTime!
    note: String
  }
  type Wide @allow(who: "signedIn") { id: ID! ${wideColumns.map((name) => `${name}: String`).join(' ')} }
  type Document @allow(who: "signedIn") { id: ID! title: String! content: JSON }
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
`

export const account = { email: 'ann@example.org', password: 'a long password' }

export const wideRows = 10_000

/** The same on both databases, but for `numbers`: a table of the numbers `n` from 1 on. */
export function fillStatements(orders: number, numbers: (count: number) => string): string[] {
  const values = wideColumns.map((name) => `'${name} of ' || n`)
  return [
    `INSERT INTO "Order" (_n, id, _version, customer, pieces, placed, note)
     SELECT n, 'o' || n, 1, 'Customer ' || (n % 5000), n % 1000, '2026-01-02T03:04:05.000Z', 'A note about the order ' || n
     FROM ${numbers(orders)}`,
    `INSERT INTO "Wide" (_n, id, _version, ${wideColumns.join(', ')})
     SELECT n, 'w' || n, 1, ${values.join(', ')} FROM ${numbers(wideRows)}`,
  ]
}

const words = 'A text of about sixty characters, as documents have them. '

/** JSON of this many bytes, printed as the form prints it. */
export function documentOf(bytes: number): object {
  const items: object[] = []
  let size = 0
  for (let n = 0; size < bytes; n++) {
    const item = { n, tags: ['sea', 'shore'], price: { amount: '12.50', currency: 'NOK' }, text: words.repeat(16) }
    items.push(item)
    size += JSON.stringify(item, null, 2).length
  }
  return { items }
}
